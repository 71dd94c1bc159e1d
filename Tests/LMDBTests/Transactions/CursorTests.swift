import LMDB
import TestSupport
import Testing

@Suite struct CursorTests {
  let directory: TemporaryDirectory
  let store: TestStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try TestStore(directory.path + "/store")
    for key in ["b", "d", "f"] { try store.put(key, key.uppercased()) }
  }

  @Test("a cursor walks in the order of the keys, both ways")
  func walk() throws {
    let seen = try store.environment.read { transaction throws(LMDBError) in
      var cursor = try transaction.cursor(store.table)
      var seen = ""
      while try cursor.next() { seen += String(cursor.key) + String(cursor.value) }
      #expect(try cursor.last())
      repeat { seen += String(cursor.key) } while try cursor.previous()
      #expect(try cursor.first())
      return seen + String(cursor.key)
    }
    #expect(seen == "bBdDfFfdbb")
  }

  @Test(
    "a cursor finds the nearest key in each direction",
    arguments: [
      ("a", "b", nil), ("b", "b", "b"), ("c", "d", "b"), ("f", "f", "f"), ("g", nil, "f"),
    ] as [(String, String?, String?)])
  func seek(key: String, after: String?, before: String?) throws {
    try store.environment.read { transaction throws(LMDBError) in
      var cursor = try transaction.cursor(store.table)
      let bytes = Array(key.utf8)
      #expect((try cursor.seek(atOrAfter: bytes.span.bytes) ? String(cursor.key) : nil) == after)
      #expect((try cursor.seek(atOrBefore: bytes.span.bytes) ? String(cursor.key) : nil) == before)
    }
  }

  @Test("values stay valid after the cursor moves")
  func lifetime() throws {
    try store.environment.read { transaction throws(LMDBError) in
      var cursor = try transaction.cursor(store.table)
      #expect(try cursor.first())
      let first = cursor.value
      #expect(try cursor.last())
      #expect(String(first) == "B")
    }
  }

  @Test("entries are deleted from a key on, until the body refuses one")
  func deletion() throws {
    let environment = store.environment
    try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      let first = Array("c".utf8)
      try transaction.deleteEntries(in: store.table, from: first.span.bytes) { key, value in
        String(key) + String(value) == "dD"
      }
    }
    #expect(try ["b", "d", "f"].map { try store.get($0) } == ["B", nil, "F"])
    try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      let first = Array("b".utf8)
      try transaction.deleteEntries(in: store.table, from: first.span.bytes) { _, _ in true }
    }
    #expect(try ["b", "d", "f"].map { try store.get($0) } == [nil, nil, nil])
  }
}
