/// Compares the results of replay, YAJL and both for a document of many records, and the accepted
/// records with the judge's verdicts.
struct ReplayCheck {
  typealias Settings = ParserHarness.Settings
  typealias Outcome = ParserHarness.Outcome

  let document: [UInt8]
  let limits: Limits
  private let settings: Settings
  private(set) var differences: [String] = []
  /// True if the parser accepts what the judge rejects, or the reverse.
  private(set) var isVerdictWrong = false
  private(set) var recordCount = 0
  private(set) var validCount = 0
  /// How replay has validated the records.
  private(set) var counts = ParserHarness.Counts()

  /// Chooses the selection, the kernel, the bytes scanned at a time, and the meaning of a repeated
  /// key.
  init(_ document: RecordMutator.Document, using random: inout DocumentGenerator) {
    var settings = Settings(hasRecords: true, limits: document.limits, skipsBadLines: true)
    settings.hasRows = true
    // To select every value takes longer, so it is rarer.
    settings.selection = random.element(of: [
      .plain, .plain, .nested, .nested, .nested, .everything,
    ])
    if random.below(2) == 0 { settings.sliceBytes = 64 + random.below(4096) }
    settings.kernel = random.below(ParserHarness.kernelCount)
    settings.duplicateKeys = random.below(4) == 0 ? .error : random.below(4) == 0 ? .first : .last
    self.init(document.bytes, settings)
  }

  private init(_ document: [UInt8], _ settings: Settings) {
    self.document = document
    self.settings = settings
    limits = settings.limits
  }

  mutating func run() {
    let judgement = judge()
    recordCount = judgement.elements.count
    validCount = judgement.elements.count { $0.verdict == .record }
    let expected = run(.yajl)
    compare(expected, with: judgement)
    let both = run(.both)
    expect(both == expected, "both and YAJL differ", both, expected)
    // The lists of a wrong row are not safe to read.
    if differences.isEmpty {
      let replayed = run(.replay)
      expect(replayed == expected, "replay and YAJL differ", replayed, expected)
    }
    if !differences.isEmpty {
      let slices = settings.sliceBytes.map { "slices of \($0) bytes" } ?? "default slices"
      differences.append(
        "\(settings.selection), kernel \(settings.kernel), \(settings.duplicateKeys), \(slices)")
    }
  }

  private mutating func run(_ validation: ParserHarness.Validation) -> Outcome {
    var settings = settings
    settings.validation = validation
    let (outcome, counts) = ParserHarness.read(document, settings)
    if validation == .replay { self.counts = counts }
    return outcome
  }

  // The judge models the lists of one selection only, and takes the last value of a repeated key.
  // Under another policy, the parser ignores the second list and its length.
  private func judge() -> Judgement {
    var limits = limits
    if settings.selection != .plain || settings.duplicateKeys != .last {
      limits.listElements = Limits.standard.listElements
    }
    return DocumentJudge.judge(document, limits: limits)
  }

  private mutating func compare(_ outcome: Outcome, with judgement: Judgement) {
    let isValid = judgement.isValid || judgement.shape == .lines
    if (outcome.error == nil) != isValid {
      isVerdictWrong = true
      differences.append("the judge says \(isValid ? "valid" : "invalid"), \(outcome)")
    }
    var records = outcome.records[...]
    // Only one of the two sees scalars at the very end of a truncated document.
    var refused = isValid ? outcome.refused[...] : []
    for element in judgement.elements where isValid || element.verdict == .record {
      let raw = digest(element.range)
      if element.verdict == .record, let record = records.first, record.raw == raw {
        records.removeFirst()
        guard settings.selection == .plain, settings.duplicateKeys == .last else { continue }
        expect(record.values == element.values, "the judge sees other values", element.range)
      } else if let fault = refused.first?.fault, isExpected(fault, element) {
        refused.removeFirst()
      } else {
        isVerdictWrong = true
        differences.append("the judge sees \(element.verdict) at \(element.range), \(outcome)")
        return
      }
    }
    expect(records.isEmpty && refused.isEmpty, "the judge sees fewer records", outcome, outcome)
  }

  private func isExpected(_ fault: ParserHarness.Fault, _ element: Judgement.Element) -> Bool {
    switch element.verdict {
    case .notARecord: fault.kind == "schema"
    case .refused: fault.kind != "schema"
    case .record: fault.kind == "limit" && limits.listElements != Limits.standard.listElements
    }
  }

  private func digest(_ range: Range<Int>) -> UInt64 {
    document.withUnsafeBytes { Digest.value(of: UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  private mutating func expect(_ condition: Bool, _ message: String, _ range: Range<Int>) {
    if !condition { differences.append("\(message) at \(range)") }
  }

  private mutating func expect(
    _ condition: Bool, _ message: String, _ outcome: Outcome, _ expected: Outcome
  ) {
    if condition { return }
    let record = zip(outcome.records, expected.records).enumerated().first { $1.0 != $1.1 }?.offset
    let first = record.map { "; first in the record of index \($0) of those accepted" } ?? ""
    differences.append("\(message): \(outcome)\n  instead of: \(expected)\(first)")
  }

  /// The same check with the fewest lines of the document that still show a difference.
  func minimized() -> ReplayCheck {
    let isArray = document.first == 0x5B
    guard !differences.isEmpty, !isArray else { return self }
    var smallest = self
    var lines = document.split(separator: 0x0A, omittingEmptySubsequences: false)
    var count = lines.count / 2
    while count > 0 {
      // The first line decides that the document is lines.
      var start = 1
      while start < lines.count {
        var fewer = lines
        fewer.removeSubrange(start..<min(start + count, lines.count))
        var check = ReplayCheck(Array(fewer.joined(separator: [0x0A])), settings)
        check.run()
        if check.differences.isEmpty {
          start += count
        } else {
          (smallest, lines) = (check, fewer)
        }
      }
      count /= 2
    }
    return smallest
  }
}
