import CFeedScan
@_spi(Records) import JSONStream

/// Counts the values of the documents of one lane, by the lane's numbers of their paths.
struct ValueCounter {
  /// The maximum number of paths of a lane. Values of further ones are counted together.
  static let maximumPaths = 4096

  /// A path, and what its values are besides their counts.
  private struct Path {
    /// The keys that lead to the path; nil elements stand for any element of an array.
    let keys: [String?]
    var texts = PathTexts()
    /// The slot of the field with this path; -1 if there is none.
    let field: Int16
    /// The rule of the contract for the path; -1 if there is none.
    let rule: Int16
  }

  private var tallies = ValueTallies(limit: maximumPaths)
  private var paths: [Path] = []
  /// Compares records with a contract; nil without one, and after the first that does not conform.
  private var check: ContractCheck?
  private let contract: ContractConversion?
  private let recordsBefore: Int
  /// The slots of the paths of fields.
  private let fieldPaths: [[[UInt8]?]: Int16]

  /// - Parameters:
  ///   - recordsBefore: the records of earlier documents.
  ///   - contract: the contract to which these conform.
  init(
    _ schema: PayloadSchema, _ form: DocumentForm, recordsBefore: Int,
    contract: ContractConversion?
  ) {
    self.recordsBefore = recordsBefore
    self.contract = contract
    check = contract.flatMap { ContractCheck($0.contract) }
    var paths: [[[UInt8]?]: Int16] = [:]
    for (index, path) in FieldSlots(schema, form).paths.enumerated() where !path.isEmpty {
      paths[path.map { Array($0.utf8) }] = Int16(truncatingIfNeeded: index)
    }
    fieldPaths = paths
  }

  /// Whether all records conform to the contract; false without one.
  var conforms: Bool { check != nil }

  /// The number of values of paths beyond the maximum.
  var lostValues: Int { tallies.lostCount }

  /// Each path with what is known about its values.
  var nodes: [(path: [String?], node: PathNode)] {
    paths.indices.map { index in
      (
        paths[index].keys,
        PathNode(
          tallies[index], tallies.numbers(of: index), paths[index].texts, order: index)
      )
    }
  }

  /// Counts the values of a record and passes those of the schema's fields on, in their order.
  ///
  /// - Parameter found: receives the slot of a field and its value. Of a repeated key it receives
  ///   each value.
  @inline(__always)
  mutating func count(
    _ tape: borrowing RecordTape, record: Int, _ found: (Int16, TapeEntry) -> Void
  ) {
    let list = tape.entries(of: record)[0]
    let values = tape.elements(of: list)
    let lostBefore = tallies.lostCount
    tallies.begin(record: recordsBefore &+ tape.firstRecord &+ record)
    if tape.isArray(record) {
      addPaths(through: 0, tape)
      tallies.count(UInt32(ValueType.array.rawValue), at: 0, nil)
    }
    var index = 0
    while index < values.count {
      index = tallies.count(tape, list, from: index)
      for note in 0..<tallies.noteCount {
        let note = tallies.note(note)
        let value = values[Int(note.value)]
        take(value, note.reasons, tape)
        if note.reasons & UInt32(FEEDSCAN_NOTE_FIELD) != 0 {
          found(paths[Int(value.path)].field, value)
        }
      }
      if index < values.count { addPaths(through: Int(values[index].path), tape) }
    }
    guard let check else { return }
    // Values without a tally have not been compared.
    let isCompared = tallies.lostCount == lostBefore
    let conforms =
      isCompared
      ? check.accepts(tallies) : contract?.accepts(tape.rawBytes(of: record)) ?? false
    if !conforms { endCheck() }
  }

  /// Looks at a value that needs more than a count.
  private mutating func take(
    _ value: TapeEntry, _ reasons: UInt32, _ tape: borrowing RecordTape
  ) {
    let path = Int(value.path)
    if reasons & UInt32(FEEDSCAN_NOTE_UNCOUNTED) != 0 {
      let digits = tape.bytes(of: value)
      let type = KeyText.isCanonical(digits) ? ValueType.integer : .number
      tallies.count(UInt32(type.rawValue), at: path, NumberText.number(digits))
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
      tallies.refuse()
    }
  }

  @inline(never)
  private mutating func addPaths(through path: Int, _ tape: borrowing RecordTape) {
    while paths.count <= min(path, Self.maximumPaths - 1) {
      let keys = tape.keyBytes(toPath: UInt16(truncatingIfNeeded: paths.count)) ?? []
      var tally = feedscan_tally_make()
      // Keys are compared by their bytes: a `String` also equals other normalization forms.
      let field = fieldPaths[keys] ?? -1
      if field >= 0 { tally.value_reasons = UInt8(FEEDSCAN_NOTE_FIELD) }
      let rule = check?.rule(ofPath: keys) ?? -1
      check?.restrict(&tally, by: rule)
      tallies.append(tally)
      let names = keys.map { key in key.map { String(decoding: $0, as: UTF8.self) } }
      paths.append(Path(keys: names, field: field, rule: rule))
    }
  }

  /// Compares no further record with the contract.
  private mutating func endCheck() {
    check = nil
    tallies.removeRules()
  }
}

/// What one lane has counted. It is the context of a lane: only the thread of the lane uses it, until
/// reading has ended.
final class LaneStatistics {
  /// Nil while records are counted: each access of a property of a class would be checked for
  /// exclusivity.
  private var counter: ValueCounter?

  init(_ counter: ValueCounter) { self.counter = counter }

  /// Counts records by a counter that is moved out.
  @inline(__always)
  func withCounter(_ body: (inout ValueCounter) -> Void) {
    guard var counter = exchange(&counter, with: nil) else { return }
    body(&counter)
    self.counter = counter
  }
}
