import Testing

/// A body that keeps a borrowed value, and the same body with a copy.
struct Escape: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let call: BorrowingCall
  /// Fragments of messages. Every error must contain one of them.
  let refusals: [String]
  let body: (kept: String, text: String)
  let twin: (kept: String, text: String)

  var program: String { call.program(keeping: body.kept, body.text) }
  var twinProgram: String { call.program(keeping: twin.kept, twin.text) }

  private init(
    _ description: String, of call: BorrowingCall, _ refusals: String...,
    body: (kept: String, text: String), twin: (kept: String, text: String)
  ) {
    testDescription = description
    self.call = call
    self.refusals = refusals
    self.body = body
    self.twin = twin
  }

  static let all = scans + results + transactions

  private static let variable = "lifetime-dependent variable"
  private static let type = "conform to 'Escapable'"
  private static let otherType = "conform to protocol 'Escapable'"
  private static let task = "risks causing data races"

  private static let scans = [
    Escape(
      "a record of a scan in a variable outside", of: .scan, variable,
      body: ("var kept: RecordView?", "kept = record"),
      twin: ("var kept: [String] = []", "kept.append(\"\\(record.bytes.byteCount)\")")),
    Escape(
      "the bytes of a record in a variable outside", of: .scan, variable,
      body: ("var kept: RawSpan?", "kept = record.bytes"),
      twin: ("var kept = 0", "kept += record.bytes.byteCount")),
    Escape(
      "a list of a record in a variable outside", of: .scan, variable,
      body: (
        "var kept: TextListView?",
        "do throws(RecordError) { kept = try record.textList(1) } catch {}"
      ),
      twin: (
        "var kept: Int?", "do throws(RecordError) { kept = try record.textList(1)?.count } catch {}"
      )),
    Escape(
      "the bytes of records in an array", of: .scan, otherType,
      body: ("var kept: [RawSpan] = []", "kept.append(record.bytes)"),
      twin: ("var kept: [Int] = []", "kept.append(record.bytes.byteCount)")),
    Escape(
      "a record in an escaping closure", of: .scan, variable,
      body: ("var kept: [() -> Int] = []", "kept.append { record.bytes.byteCount }"),
      twin: (
        "var kept: [() -> Int] = []",
        "let count = record.bytes.byteCount\nkept.append { count }"
      )),
    Escape(
      "a record in a task", of: .scan, variable, task,
      body: ("", "Task { print(record.bytes.byteCount) }"),
      twin: ("", "let count = record.bytes.byteCount\nTask { print(count) }")),
    Escape(
      "a record found by its key in a variable outside", of: .lookUp, variable,
      body: ("var kept: RecordView?", "kept = record"),
      twin: ("var kept = 0", "kept += record.bytes.byteCount")),
    Escape(
      "the text of a skipped record in a variable outside", of: .rejects, variable,
      body: ("var kept: RawSpan?", "kept = raw"),
      twin: ("var kept = 0", "kept += raw.byteCount")),
    Escape(
      "a record of a batch in a variable outside", of: .batch, variable,
      body: ("var kept: RecordView?", "kept = record\nreturn 0"),
      twin: ("var kept = 0", "kept = record.bytes.byteCount\nreturn 0")),
    Escape(
      "a record in an object", of: .batch, "cannot return a ~Escapable result",
      body: ("final class Keeper { var record: RecordView? }", "return record.bytes.byteCount"),
      twin: ("final class Keeper { var count: Int? }", "return record.bytes.byteCount")),
  ]

  private static let results = [
    Escape(
      "a record of a batch as the result", of: .batch, type,
      body: ("", "return record"), twin: ("", "return record.bytes.byteCount")),
    Escape(
      "a value as the result", of: .read, type,
      body: ("", "return try transaction.get(table, key.span.bytes)"),
      twin: ("", "return try transaction.get(table, key.span.bytes)?.byteCount ?? 0")),
    Escape(
      "a cursor as the result", of: .read, type,
      body: ("", "return try transaction.cursor(table)"),
      twin: ("", "var cursor = try transaction.cursor(table)\nreturn try cursor.first()")),
    Escape(
      "a transaction as the result", of: .write, "conform to 'Copyable'",
      body: ("", "return transaction"),
      twin: ("", "return try transaction.delete(table, key.span.bytes)")),
  ]

  private static let transactions = [
    Escape(
      "a value in a variable outside", of: .read, variable,
      body: ("var kept: RawSpan?", "kept = try transaction.get(table, key.span.bytes)"),
      twin: ("var kept: Int?", "kept = try transaction.get(table, key.span.bytes)?.byteCount")),
    Escape(
      "the value at a cursor in a variable outside", of: .read, variable,
      body: (
        "var kept: RawSpan?",
        "var cursor = try transaction.cursor(table)\nif try cursor.next() { kept = cursor.value }"
      ),
      twin: (
        "var kept: Int?",
        "var cursor = try transaction.cursor(table)\n"
          + "if try cursor.next() { kept = cursor.value.byteCount }"
      )),
    Escape(
      "a transaction in an escaping closure", of: .read, "cannot be captured by an escaping",
      body: ("var kept: () -> Int? = { nil }", "kept = { try? transaction.count(table) }"),
      twin: (
        "var kept: () -> Int? = { nil }",
        "let count = try transaction.count(table)\nkept = { count }"
      )),
    Escape(
      "a transaction in a task", of: .read, "cannot be captured by an escaping", task,
      body: ("", "_ = Task { try transaction.count(table) }"),
      twin: ("", "let count = try transaction.count(table)\n_ = Task { count }")),
    Escape(
      "a transaction for writing in an escaping closure", of: .write,
      "escaping closure captures 'inout' parameter",
      body: (
        "var kept: () -> Void = {}", "kept = { _ = try? transaction.delete(table, [1].span.bytes) }"
      ),
      twin: (
        "var kept: () -> Void = {}", "_ = try transaction.delete(table, key.span.bytes)\nkept = {}"
      )),
    Escape(
      "a value across the change that may move it", of: .write, "overlapping accesses",
      body: (
        "",
        "let value = try transaction.get(table, key.span.bytes)\n"
          + "try transaction.put(table, key.span.bytes, key.span.bytes)\n"
          + "return value?.byteCount ?? 0"
      ),
      twin: (
        "",
        "let count = try transaction.get(table, key.span.bytes)?.byteCount ?? 0\n"
          + "try transaction.put(table, key.span.bytes, key.span.bytes)\nreturn count"
      )),
  ]
}

/// A call that passes a borrowed value to its body. It creates a program around the body.
enum BorrowingCall: Sendable {
  /// A scan passes `record`.
  case scan
  /// A lookup by key passes `record`.
  case lookUp
  /// An ingest passes `raw`, the text of a record that it skips.
  case rejects
  /// A batch of parsed records passes `record`; the result of the body is `result`.
  case batch
  /// An environment passes `transaction` for reading; the result of the body is `result`.
  case read
  /// An environment passes `transaction` for writing; the result of the body is `result`.
  case write

  /// - Parameters:
  ///   - kept: a declaration outside of the body
  ///   - body: ends with its return value, if it has a result
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

  // Omits the umbrella module, whose HTTP client has its own C modules.
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
