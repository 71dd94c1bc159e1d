import LMDB

/// An environment with one table of text, and shorthand to use it.
struct TestStore {
  let environment: Environment
  let table: Table

  init(_ path: String, change: (inout Environment.Configuration) -> Void = { _ in }) throws {
    var configuration = Environment.Configuration(tables: ["entries"])
    change(&configuration)
    environment = try Environment.open(path, configuration)
    table = try environment.table("entries")
  }

  func put(_ key: String, _ value: String) throws {
    let table = table
    try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      try transaction.put(table, key, value)
    }
  }

  func get(_ key: String) throws -> String? {
    try environment.read { (transaction: borrowing ReadTransaction) throws(LMDBError) in
      try transaction.text(table, key)
    }
  }
}

extension ReadTransaction {
  borrowing func text(_ table: Table, _ key: String) throws(LMDBError) -> String? {
    guard let value = try get(table, Array(key.utf8).span.bytes) else { return nil }
    return String(value)
  }
}

extension WriteTransaction {
  mutating func put(_ table: Table, _ key: String, _ value: String) throws(LMDBError) {
    try put(table, Array(key.utf8).span.bytes, Array(value.utf8).span.bytes)
  }
}

extension String {
  init(_ span: RawSpan) {
    self = span.withUnsafeBytes { bytes in String(decoding: bytes, as: UTF8.self) }
  }
}

/// The code of the error that a body throws; nil if it throws none.
func code(_ body: () throws -> Void) throws -> LMDBError.Code? {
  do {
    try body()
    return nil
  } catch let error as LMDBError {
    return error.code
  }
}
