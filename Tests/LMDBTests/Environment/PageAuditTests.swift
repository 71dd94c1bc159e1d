import LMDB
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct PageAuditTests {
  let directory: TemporaryDirectory
  let store: TestStore
  var file: String { directory.path + "/store/data.mdb" }

  init() throws {
    directory = try TemporaryDirectory()
    store = try TestStore(directory.path + "/store")
    for round in 0..<6 {
      try store.environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
        for number in 0..<400 {
          let key = "key \(number % 7) \(round) \(number)"
          try transaction.put(
            store.table, key, String(repeating: "v", count: number % 50 == 0 ? 20_000 : number))
        }
        for number in stride(from: 0, to: 400, by: 3) where round > 0 {
          let key = Array("key \(number % 7) \(round - 1) \(number)".utf8)
          _ = try transaction.delete(store.table, key.span.bytes)
        }
      }
    }
  }

  @Test("in an intact store every page is used once or free, even during writes")
  func sound() throws {
    let report = try store.environment.auditPages()
    #expect(report.findings == [])
    let statistics = try store.environment.statistics()
    #expect(report.usedPages == statistics.lastPage + 1 - statistics.freePages)
    let table = store.table
    let writes = (0..<50).map { number in
      store.environment.submit { transaction throws(LMDBError) in
        try transaction.put(table, "key \(number)", String(repeating: "w", count: number * 100))
      }
    }
    #expect(try store.environment.auditPages().findings == [])
    for write in writes { try write.wait() }
  }

  @Test("damage to a page header, a node and a free list is found")
  func damage() throws {
    let pageSize = try store.environment.statistics().pageSize
    let bytes = try contents()
    let flags = UInt64(10)
    for page in 2..<bytes.count / pageSize {
      let offset = page * pageSize
      // A used page has its number at the start, and the flags of a branch or a leaf.
      let number = bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
      guard number == page, bytes[offset + Int(flags)] & 3 != 0 else { continue }
      try overwrite(offset, [0xFF])
      let isUsed = try !store.environment.auditPages().findings.isEmpty
      try overwrite(offset, [bytes[offset]])
      guard isUsed else { continue }
      // The offset of the first node.
      try overwrite(offset + 16, [0xFF, 0xFF])
      #expect(try !store.environment.auditPages().findings.isEmpty)
      try overwrite(offset + 16, Array(bytes[offset + 16..<offset + 18]))
    }
    #expect(try store.environment.auditPages().findings == [])
  }

  @Test("no bytes in any page crash the walk or are accepted twice")
  func anyBytes() throws {
    let bytes = try contents()
    var random = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      let offset = Int.random(in: 8192..<bytes.count, using: &random)
      try overwrite(offset, [bytes[offset] ^ UInt8.random(in: 1...255, using: &random)])
      _ = try store.environment.auditPages()
      try overwrite(offset, [bytes[offset]])
    }
    #expect(try store.environment.auditPages().findings == [])
  }

  private func contents() throws -> [UInt8] {
    let stream = try #require(fopen(file, "r"))
    defer { fclose(stream) }
    fseek(stream, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: ftell(stream))
    rewind(stream)
    try #require(fread(&bytes, 1, bytes.count, stream) == bytes.count)
    return bytes
  }

  private func overwrite(_ offset: Int, _ bytes: [UInt8]) throws {
    let descriptor = open(file, O_WRONLY)
    defer { close(descriptor) }
    try #require(pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count)
  }
}
