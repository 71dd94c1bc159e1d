import CFeedScan
@_spi(Records) import JSONStream

/// What one lane has seen of the values of documents, by the lane's numbers of their paths.
///
/// It is the context of a lane: only the thread of the lane uses it, until reading has ended.
final class LaneStatistics {
  /// The maximum number of paths of a lane. Values of further ones are counted together.
  static let maximumPaths = 4096

  private(set) var nodes: [PathNode] = []
  /// The keys that lead to each node; nil elements stand for any element of an array.
  private(set) var paths: [[String?]] = []
  /// The number of values of paths beyond the maximum.
  private(set) var lostValues = 0
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
    contract: ContractConversion? = nil
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

  /// Counts the values of a record and passes those of the schema's fields on.
  ///
  /// - Parameter found: receives the index of a field and its value. Of a repeated key it receives
  ///   each value.
  @inline(__always)
  func count(
    _ tape: borrowing RecordTape, record: Int, _ values: Span<TapeEntry>,
    _ found: (Int16, TapeEntry) -> Void
  ) {
    let number = recordsBefore &+ tape.firstRecord &+ record
    // Moved out: each access of a property of a class would be checked for exclusivity.
    var nodes = exchange(&nodes, with: [])
    var check = exchange(&check, with: nil)
    check?.beginRecord()
    let lostBefore = lostValues
    var index = 0
    while true {
      index = Self.countKnown(&nodes, &check, tape, values, from: index, record: number, found)
      guard index < values.count else { break }
      if !addPaths(through: Int(values[index].path), to: &nodes, check, tape) {
        lostValues &+= 1
        index &+= 1
      }
    }
    if let known = check {
      // Values without a node have not been compared.
      let isKnown = lostValues == lostBefore
      let conforms =
        isKnown ? known.conforms : contract?.accepts(tape.rawBytes(of: record)) ?? false
      if !conforms { check = nil }
    }
    (self.nodes, self.check) = (nodes, check)
  }

  /// Counts values up to the first whose path is new; returns its index, or the number of values.
  @inline(__always)
  private static func countKnown(
    _ nodes: inout [PathNode], _ check: inout ContractCheck?, _ tape: borrowing RecordTape,
    _ values: Span<TapeEntry>, from first: Int, record: Int, _ found: (Int16, TapeEntry) -> Void
  ) -> Int {
    // A span checks bounds, and not at each access whether the array is shared.
    var nodes = nodes.mutableSpan
    for index in first..<values.count {
      let value = values[index]
      if value.kind == .end { continue }
      let path = Int(value.path)
      guard path < nodes.count else { return index }
      switch value.kind {
      case .string:
        nodes[path].count(
          text: tape.bytes(of: value), isEscaped: value.isEscaped, record: record)
      case .number: nodes[path].count(number: tape.bytes(of: value), record: record)
      case .true, .false: nodes[path].count(.boolean, record: record)
      case .null: nodes[path].count(.null, record: record)
      case .array: nodes[path].count(.array, record: record)
      default: nodes[path].count(.object, record: record)
      }
      let field = nodes[path].field
      if field >= 0 { found(field, value) }
      let rule = nodes[path].rule
      if rule >= 0 { check?.take(value, by: rule, tape) }
    }
    return values.count
  }

  @inline(never)
  private func addPaths(
    through path: Int, to nodes: inout [PathNode], _ check: ContractCheck?,
    _ tape: borrowing RecordTape
  ) -> Bool {
    guard path < Self.maximumPaths else { return false }
    while nodes.count <= path {
      let keys = tape.keyBytes(toPath: UInt16(truncatingIfNeeded: nodes.count)) ?? []
      var node = PathNode(order: nodes.count)
      // Keys are compared by their bytes: a `String` also equals other normalization forms.
      node.field = fieldPaths[keys] ?? -1
      node.rule = check?.rule(ofPath: keys) ?? -1
      nodes.append(node)
      paths.append(keys.map { key in key.map { String(decoding: $0, as: UTF8.self) } })
    }
    return true
  }
}
