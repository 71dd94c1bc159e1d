/// Compares the parser's results for one document, read in several ways, with the judge's result
/// and with each other.
struct DocumentCheck {
  typealias Settings = ParserHarness.Settings
  typealias Outcome = ParserHarness.Outcome

  let document: [UInt8]
  let limits: Limits
  let chunks: [Int]
  /// False to try only the first lane count: starting threads takes longer than parsing most
  /// documents.
  let triesLanes: Bool
  private(set) var differences: [String] = []
  /// True if the parser accepts what the judge rejects, or the reverse.
  private(set) var isVerdictWrong = false
  private(set) var parserRuns = 0
  /// The judge's verdicts: as one text, and as records.
  private(set) var isText = false
  private(set) var isRecords = false

  init(_ document: [UInt8], limits: Limits, chunks: [Int], triesLanes: Bool = true) {
    self.document = document
    self.limits = limits
    self.chunks = chunks
    self.triesLanes = triesLanes
  }

  /// Chooses limits and chunk sizes. A long document gets larger chunks, or it would take as long
  /// as a thousand others. It gets no small limits, which would soon end it.
  init(_ document: [UInt8], using random: inout DocumentGenerator) {
    let isLong = document.count > Mutator.longest
    let limits = Limits.random(using: &random)
    let chunks = (0..<1 + random.below(4)).map { _ in min(random.skewed(bits: 12), 4096) }
    self.init(
      document, limits: isLong ? .standard : limits,
      chunks: isLong ? chunks.map { $0 * 61 } : chunks, triesLanes: random.below(4) == 0)
  }

  mutating func run() {
    let textJudgement = DocumentJudge.judgeText(document, limits: limits)
    isText = textJudgement.isValid
    let judgement = DocumentJudge.judge(document, limits: limits)
    isRecords = judgement.isValid
    let text = outcome(Settings(hasRecords: false, limits: limits))
    expectVerdict(textJudgement.isValid, of: text, "as one text")
    // A fault right after a number may be reported instead of the number's limit.
    if let place = textJudgement.limitPlace, let fault = text.error, fault.kind == "limit" {
      expect(
        fault.byteOffset == place, "as one text: the limit is met at byte \(place), \(text)")
    }
    let records = outcome(Settings(hasRecords: true, limits: limits))
    compare(records, with: judgement)
    comparePlaces(text, records)
    guard judgement.shape == .lines else { return }
    let lenient = outcome(Settings(hasRecords: true, limits: limits, skipsBadLines: true))
    expect(lenient.error == nil, "bad lines end the reading: \(lenient)")
    compare(lenient, with: judgement.elements)
  }

  // Runs the parser in every way; all results must be equal. The first run uses YAJL alone, the
  // others replay. A text without records has no lanes, and nothing to replay.
  private mutating func outcome(_ settings: Settings) -> Outcome {
    let whole = ParserHarness.outcome(of: document, settings)
    parserRuns += 1
    if settings.hasRecords {
      var other = settings
      other.validation = .both
      compare(whole, other)
    }
    for (index, lanes) in ParserHarness.laneCounts.enumerated() where index == 0 || triesLanes {
      var other = settings
      other.validation = .replay
      other.lanes = lanes
      if index > 0 { compare(whole, other) }
      other.chunks = chunks
      other.sliceBytes = 64 + chunks[0]
      compare(whole, other)
    }
    return whole
  }

  private mutating func compare(_ whole: Outcome, _ settings: Settings) {
    let other = ParserHarness.outcome(of: document, settings)
    parserRuns += 1
    if other == whole { return }
    differences.append(
      """
      two runs differ (records \(settings.hasRecords), lines skipped \(settings.skipsBadLines)):
        whole, one lane, YAJL: \(whole)
        chunks \(settings.chunks), lanes \(settings.lanes), \(settings.validation): \(other)
      """)
  }

  private mutating func compare(_ outcome: Outcome, with judgement: Judgement) {
    expectVerdict(judgement.isValid, of: outcome, "as records")
    if outcome.error == nil {
      expect(outcome.shape == judgement.shape, "the judge sees \(judgement.shape as Any)")
      compare(outcome, with: judgement.elements)
    } else {
      // Only one of the two sees scalars at the very end of a truncated document.
      let sound = judgement.elements.prefix { $0.verdict != .refused }
      compareRecords(outcome, with: sound.filter { $0.verdict == .record })
    }
  }

  // Every element must be delivered or rejected, in order, with its values.
  private mutating func compare(_ outcome: Outcome, with elements: [Judgement.Element]) {
    let records = elements.filter { $0.verdict == .record }
    let refused = elements.filter { $0.verdict != .record }
    let agrees =
      outcome.records == records.map(record) && outcome.refused.count == refused.count
      && zip(refused, outcome.refused).allSatisfy { element, delivery in
        element.verdict == .notARecord
          ? delivery.fault?.kind == "schema" && delivery.raw == digest(element.range)
          : delivery.fault.map { $0.kind != "schema" } ?? false
      }
    expect(agrees, "the judge sees the elements \(elements.map(\.range)), \(outcome)")
  }

  private mutating func compareRecords(_ outcome: Outcome, with records: [Judgement.Element]) {
    expect(
      outcome.records == records.map(record),
      "before the fault the judge sees the records \(records.map(\.range)), \(outcome)")
  }

  private func record(_ element: Judgement.Element) -> ParserHarness.Delivery {
    ParserHarness.Delivery(raw: digest(element.range), values: element.values)
  }

  private func digest(_ range: Range<Int>) -> UInt64 {
    document.withUnsafeBytes { Digest.value(of: UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  // The first fault is the same whether a document is split into records or not. But limits of
  // records do not apply to a text, lines are not one text, and a document without records may be
  // rejected before its fault is reached.
  private mutating func comparePlaces(_ text: Outcome, _ records: Outcome) {
    guard limits == .standard, let fault = records.error, records.shape != .lines else { return }
    if fault.kind == "shape" {
      let place = text.error?.byteOffset ?? .max
      expect(place >= fault.byteOffset, "as one text the fault stands before: \(text), \(records)")
      return
    }
    expect(
      text.error?.byteOffset == fault.byteOffset && text.error?.kind == fault.kind,
      "as one text the first fault is another: \(text), \(records)")
  }

  private mutating func expectVerdict(_ isValid: Bool, of outcome: Outcome, _ reading: String) {
    if (outcome.error == nil) == isValid { return }
    isVerdictWrong = true
    let word = isValid ? "valid" : "invalid"
    differences.append("\(reading): the judge says \(word), \(outcome)")
  }

  private mutating func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { differences.append(message()) }
  }
}

extension ParserHarness.Outcome: CustomStringConvertible {
  var description: String {
    var parts = ["the parser says: " + (error.map { "\($0)" } ?? "valid")]
    if let shape { parts.append("shape \(shape)") }
    parts.append("\(records.count) records, \(refused.count) refused")
    parts += refused.compactMap(\.fault).map { "\($0)" }
    return parts.joined(separator: "; ")
  }
}

extension ParserHarness.Fault: CustomStringConvertible {
  var description: String {
    let place = "byte \(byteOffset) (\(line):\(column)), record \(record.map(String.init) ?? "-")"
    return "\(kind) at \(place), '\(pointer)', \(reason)"
  }
}
