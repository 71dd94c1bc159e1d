import LMDB
import TestSupport
import Testing

@Suite("The location of a value") struct MappedLocationTests {
  private let directory: TemporaryDirectory
  private let long = String(repeating: "long ", count: 2_000)

  init() throws { directory = try TemporaryDirectory() }

  private func open() throws -> TestStore { try TestStore(directory.path + "/store") }

  private func location(
    _ key: String, in store: TestStore
  ) throws -> (location: MappedLocation?, mapping: UInt) {
    try store.environment.read { transaction throws(LMDBError) in
      guard let value = try transaction.get(store.table, Array(key.utf8).span.bytes) else {
        return (nil, transaction.mappingNumber)
      }
      return (transaction.location(of: value), transaction.mappingNumber)
    }
  }

  private func text(
    _ location: MappedLocation, _ mapping: UInt, in store: TestStore
  ) throws -> String? {
    try store.environment.read { transaction throws(LMDBError) in
      guard let value = transaction.value(at: location, ofMapping: mapping) else { return nil }
      return String(value)
    }
  }

  @Test("on pages of its own stays valid, whatever else is committed")
  func stays() throws {
    let store = try open()
    try store.put("key", long)
    let (location, mapping) = try location("key", in: store)
    let known = try #require(location)
    for number in 0..<300 {
      try store.put("key \(number)", "short")
      try store.put("kex \(number)", String(long.prefix(5_000)))
      try store.put("kex \(number)", "short")
    }
    #expect(try text(known, mapping, in: store) == long)
  }

  @Test(
    "on a shared page is not available, because the value moves", arguments: [1, 100, 2_000, 4_000])
  func moves(length: Int) throws {
    let store = try open()
    try store.put("key", String(repeating: "x", count: length))
    #expect(try location("key", in: store).location == nil)
  }

  @Test("is not valid in another mapping of the same file")
  func mapping() throws {
    var store: TestStore? = try open()
    try store?.put("key", long)
    let (location, mapping) = try location("key", in: #require(store))
    let known = try #require(location)
    store = nil
    let second = try open()
    #expect(try text(known, mapping, in: second) == nil)
    #expect(try self.location("key", in: second).mapping != mapping)
    #expect(try second.get("key") == long)
  }
}
