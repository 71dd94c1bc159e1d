import CFeedScan
@_spi(Records) import JSONStream

/// Counts the values of the documents of one lane, by the lane's numbers of their paths.
struct ValueCounter {
  /// The maximum number of paths of a lane. Values of further ones are counted together.
  static let maximumPaths = 4096

  /// A path, with the texts of its values and its rule.
  private struct Path {
    /// The keys that lead to the path; a nil element means "any element of an array".
    let keys: [String?]
    var texts = PathTexts()
    /// The rule of the contract for the path; -1 if there is none.
    let rule: Int16
  }

  private var tallies: ValueTallies
  private var paths: [Path] = []
  /// Compares records with a contract; nil without one, and after the first that does not conform.
  private var check: ContractCheck?
  private let recordsBefore: Int
  /// The slots of the paths of fields.
  private let fieldPaths: [[[UInt8]?]: Int]

  /// - Parameters:
  ///   - recordsBefore: the records of earlier documents.
  ///   - contract: the contract to which these conform.
  init(
    _ schema: PayloadSchema, _ form: DocumentForm, recordsBefore: Int,
    contract: ContractConversion?
  ) {
    self.recordsBefore = recordsBefore
    check = contract.flatMap { ContractCheck($0.contract) }
    let slots = FieldSlots(schema, form).paths
    var paths: [[[UInt8]?]: Int] = [:]
    for (index, path) in slots.enumerated() where !path.isEmpty {
      paths[path.map { Array($0.utf8) }] = index
    }
    fieldPaths = paths
    tallies = ValueTallies(limit: Self.maximumPaths, fieldCount: slots.count)
    if let check { tallies.require(check.required) }
  }

  /// The paths that a counter must know in any record: those of fields and of the contract's rules.
  /// A lane numbers them first, so that no other paths can take their numbers.
  static func namedPaths(
    _ schema: PayloadSchema, _ form: DocumentForm, contract: ContractConversion?
  ) -> [[[UInt8]?]] {
    let fields = FieldSlots(schema, form).paths.filter { !$0.isEmpty }
    let rules = contract.flatMap { ContractCheck($0.contract) }?.paths ?? []
    return fields.map { $0.map { Array($0.utf8) } } + rules
  }

  /// The field values of the last counted records that are not on the tape, by their indices in
  /// ``valuesOfFields``.
  private(set) var lateValues: [Int: TapeEntry] = [:]

  /// Whether all records conform to the contract; false without one.
  var conforms: Bool { check != nil }

  /// The number of values of paths beyond the maximum.
  var lostValues: Int { tallies.lostCount }

  /// Each path with the statistics of its values.
  var nodes: [(path: [String?], node: PathNode)] {
    paths.indices.map { index in
      (
        paths[index].keys,
        PathNode(
          tallies[index], tallies.numbers(of: index), paths[index].texts,
          order: Int(tallies[index].order))
      )
    }
  }

  /// The number of records that are counted at once.
  var recordsAtOnce: Int { tallies.recordsAtOnce }
  /// The elements of ``valuesOfFields`` for each record.
  var fieldStride: Int { tallies.fieldStride }
  /// For each of the last counted records, the index plus 1 of each field's value, or 0, in the
  /// order of ``FieldSlots``. The first element of a record belongs to no field.
  var valuesOfFields: Span<UInt32> {
    @_lifetime(borrow self) get { tallies.valuesOfFields }
  }

  /// Counts the values of up to ``recordsAtOnce`` records.
  ///
  /// - Parameter keepsFirst: whether the first value of a repeated key counts, and not the last.
  mutating func count(_ tape: borrowing RecordTape, _ records: Range<Int>, keepsFirst: Bool) {
    tallies.begin(
      at: records.lowerBound, number: recordsBefore &+ tape.firstRecord, keepsFirst: keepsFirst)
    if !lateValues.isEmpty { lateValues = [:] }
    var hasEnded = false
    while !hasEnded {
      let stop = tallies.count(tape, records)
      for note in 0..<tallies.noteCount {
        let note = tallies.note(note)
        take(tape.element(at: Int(note.element)), note.reasons, tape)
      }
      switch stop {
      case .end: hasEnded = true
      case .newPath(let path): addPaths(through: path, tape)
      case .notes: break
      case .cut(let record): countParts(of: record, in: records, tape)
      }
    }
    if check != nil, !tallies.conforms { endCheck() }
  }

  /// Counts those values of a record that are not on its tape.
  @inline(never)
  private mutating func countParts(
    of record: Int, in records: Range<Int>, _ tape: borrowing RecordTape
  ) {
    let firstField = fieldStride * (record - records.lowerBound)
    tape.forEachPart(afterCutOf: record) { part, before in
      tallies.beginPart()
      var hasEnded = false
      while !hasEnded {
        let stop = tallies.count(part, before: before, tape, first: records.lowerBound)
        for note in 0..<tallies.noteCount {
          let note = tallies.note(note)
          take(part[Int(note.element)], note.reasons, tape)
        }
        switch stop {
        case .newPath(let path): addPaths(through: path, tape)
        case .notes: break
        case .end, .cut: hasEnded = true
        }
      }
      for place in firstField + 1..<firstField + fieldStride {
        let index = Int(valuesOfFields[place]) - 1
        if index >= before, index - before < part.count { lateValues[place] = part[index - before] }
      }
    }
    tallies.endParts()
  }

  /// Processes a value that needs more than a count.
  private mutating func take(
    _ value: TapeEntry, _ reasons: UInt32, _ tape: borrowing RecordTape
  ) {
    let path = Int(value.path)
    if reasons & UInt32(FEEDSCAN_NOTE_NUMBER) != 0,
      let number = NumberText.number(tape.bytes(of: value))
    {
      tallies.take(number, at: path)
    }
    if reasons & UInt32(FEEDSCAN_NOTE_TEXT | FEEDSCAN_NOTE_SAMPLE) != 0 {
      let text = tape.bytes(of: value)
      let isSample = reasons & UInt32(FEEDSCAN_NOTE_SAMPLE) != 0
      if paths[path].texts.take(text, isEscaped: value.isEscaped, isSample: isSample) {
        let texts = paths[path].texts
        tallies.setStrings(
          of: path, reasons: texts.needsAll ? UInt8(FEEDSCAN_NOTE_TEXT) : 0,
          isSampled: !texts.formats.isEmpty && !texts.areDates)
      }
    }
    if reasons & UInt32(FEEDSCAN_NOTE_RULE) != 0, let check,
      !check.accepts(value, by: paths[path].rule, tape)
    {
      endCheck()
    }
  }

  @inline(never)
  private mutating func addPaths(through path: Int, _ tape: borrowing RecordTape) {
    while paths.count <= min(path, Self.maximumPaths - 1) {
      let keys = tape.keyBytes(toPath: UInt16(truncatingIfNeeded: paths.count)) ?? []
      var tally = feedscan_tally_make()
      // Keys are compared by their bytes: a `String` also equals other normalization forms.
      let rule = check?.rule(ofPath: keys) ?? -1
      check?.restrict(&tally, by: rule)
      tallies.append(tally, field: fieldPaths[keys])
      let names = keys.map { key in key.map { String(decoding: $0, as: UTF8.self) } }
      paths.append(Path(keys: names, rule: rule))
    }
  }

  /// Ends the comparison of records with the contract.
  private mutating func endCheck() {
    check = nil
    tallies.removeRules()
  }
}

/// The counts of one lane, kept as its context. Only the thread of the lane uses it until reading
/// has ended.
final class LaneStatistics {
  /// Nil while records are counted: each access of a property of a class would be checked for
  /// exclusivity.
  private var counter: ValueCounter?

  init(_ counter: ValueCounter) { self.counter = counter }

  /// Counts records with the counter moved out of this object.
  @inline(__always)
  func withCounter(_ body: (inout ValueCounter) -> Void) {
    guard var counter = exchange(&counter, with: nil) else { return }
    body(&counter)
    self.counter = counter
  }
}
