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
  /// The contract to which all records so far conform; nil if there is none.
  private(set) var contract: ContractConversion?
  private let recordsBefore: Int
  /// The slots of the paths of fields.
  private let fieldPaths: [[String]: Int16]

  /// - Parameters:
  ///   - recordsBefore: the records of earlier documents.
  ///   - contract: the contract to which these conform.
  init(
    _ schema: PayloadSchema, _ form: DocumentForm, recordsBefore: Int,
    contract: ContractConversion? = nil
  ) {
    self.recordsBefore = recordsBefore
    self.contract = contract
    var paths: [[String]: Int16] = [:]
    for (index, path) in FieldSlots(schema, form).paths.enumerated() where !path.isEmpty {
      paths[path] = Int16(truncatingIfNeeded: index)
    }
    fieldPaths = paths
  }

  /// Compares a record with the contract. After the first that does not conform no other is compared.
  @inline(__always)
  func check(_ tape: borrowing RecordTape, record: Int) {
    guard let contract, !contract.accepts(tape.rawBytes(of: record)) else { return }
    self.contract = nil
  }

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
    defer { self.nodes = nodes }
    var index = 0
    while index < values.count {
      index = Self.countKnown(&nodes, tape, values, from: index, record: number, found)
      guard index < values.count else { return }
      if !addPaths(through: Int(values[index].path), to: &nodes, tape) {
        lostValues &+= 1
        index &+= 1
      }
    }
  }

  /// Counts values up to the first whose path is new; returns its index, or the number of values.
  @inline(__always)
  private static func countKnown(
    _ nodes: inout [PathNode], _ tape: borrowing RecordTape, _ values: Span<TapeEntry>,
    from first: Int, record: Int, _ found: (Int16, TapeEntry) -> Void
  ) -> Int {
    // A span checks bounds, and not at each access whether the array is shared.
    var nodes = nodes.mutableSpan
    for index in first..<values.count {
      let value = values[index]
      if value.kind == .end { continue }
      let path = Int(value.path)
      guard path < nodes.count else { return index }
      switch value.kind {
      case .string: nodes[path].count(text: tape.bytes(of: value), record: record)
      case .number: nodes[path].count(number: tape.bytes(of: value), record: record)
      case .true, .false: nodes[path].count(.boolean, record: record)
      case .null: nodes[path].count(.null, record: record)
      case .array: nodes[path].count(.array, record: record)
      default: nodes[path].count(.object, record: record)
      }
      let field = nodes[path].field
      if field >= 0 { found(field, value) }
    }
    return values.count
  }

  @inline(never)
  private func addPaths(
    through path: Int, to nodes: inout [PathNode], _ tape: borrowing RecordTape
  ) -> Bool {
    guard path < Self.maximumPaths else { return false }
    while nodes.count <= path {
      let keys = tape.keys(toPath: UInt16(truncatingIfNeeded: nodes.count)) ?? []
      var node = PathNode(order: nodes.count)
      let named = keys.compactMap(\.self)
      if named.count == keys.count, let field = fieldPaths[named] { node.field = field }
      nodes.append(node)
      paths.append(keys)
    }
    return true
  }
}
