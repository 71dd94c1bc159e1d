/// A call that lends something to its body, as a program around that body.
enum Lender: Sendable {
  /// A scan lends `record`.
  case scan
  /// A look-up by key lends `record`.
  case lookUp
  /// An ingest lends `raw`, the text of a record that it passes over.
  case rejects
  /// A batch of parsed records lends `record`; what the body returns is `result`.
  case batch
  /// An environment lends `transaction` for reading; what the body returns is `result`.
  case read
  /// An environment lends `transaction` for writing; what the body returns is `result`.
  case write

  /// - Parameters:
  ///   - kept: a declaration outside of the body
  ///   - body: ends with what it returns, where there is a result
  func program(keeping kept: String, _ body: String) -> String {
    switch self {
    case .scan: store(kept, "forEachRecord", "record, _", body)
    case .lookUp: store(kept, "forEachRecord(withKeyBytes: key.span.bytes)", "record, _", body)
    case .rejects:
      """
      \(Self.imports)
      func use(_ database: FeedDatabase) throws {
        \(kept)
        _ = try database.ingest(["file"], onReject: { _, raw in
          \(body)
        })
      }
      """
    case .batch:
      """
      \(Self.imports)
      func use(_ batch: RecordBatch) throws {
        \(kept)
        let result = try batch.withRecord(at: 0) { (record) throws(RecordError) in
          \(body)
        }
        print(result)
      }
      """
    case .read: environment(kept, "read", "borrowing ReadTransaction", body)
    case .write: environment(kept, "write", "inout WriteTransaction", body)
    }
  }

  // Not the umbrella, whose HTTP client has C modules of its own.
  private static let imports = """
    import FeedSchema
    import FeedRecord
    import FeedStorage
    import JSONStream
    """

  private func store(
    _ kept: String, _ call: String, _ parameters: String, _ body: String
  ) -> String {
    """
    \(Self.imports)
    func use(_ feed: Feed, _ key: [UInt8]) throws {
      \(kept)
      try feed.\(call) { \(parameters) in
        \(body)
      }
    }
    """
  }

  private func environment(
    _ kept: String, _ call: String, _ transaction: String, _ body: String
  ) -> String {
    """
    import LMDB
    func use(_ environment: Environment, _ table: Table, _ key: [UInt8]) throws {
      \(kept)
      let result = try environment.\(call) {
        (transaction: \(transaction)) throws(LMDBError) in
        \(body)
      }
      print(result)
    }
    """
  }
}
