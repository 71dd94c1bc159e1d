import FeedRecord
import FeedStorage
import LMDB
import TestSupport
import Testing

@Suite struct ImageDamageTests {
  let images: TestImages
  private let url = "https://example.com/a.png"

  init() throws {
    images = try TestImages()
    try images.insert("other", TestImages.bytes(300_000, seed: 2))
  }

  @Test("a flipped bit in an image is detected, and the message names a remedy", arguments: [0, 1])
  func body(chunk: Int) throws {
    let images = try TestImages()
    try images.insert(url, TestImages.bytes(300_000))
    try images.flip("bodies", chunk, bit: -1)
    do {
      _ = try images.bytes(url)
      Issue.record("a damaged image was served")
    } catch let error as StoreError {
      #expect(error.code == .damaged)
      #expect(error.message.contains("remove it and fetch it again"))
    }
    #expect(try images.store.check().count == 1)
    #expect(try images.store.remove(url))
    try images.insert(url, [1])
    #expect(try images.bytes(url) == [1])
    #expect(try images.store.check() == [])
  }

  @Test("every flipped bit of a row is detected, and the image can be removed or replaced")
  func row() throws {
    let images = try TestImages()
    for bit in stride(from: 0, to: 800, by: 37) {
      try images.insert(url, [1, 2, 3])
      try images.flip("images", 0, bit: bit)
      #expect(try code { _ = try images.bytes(url) } == .damaged)
      #expect(try code { _ = try images.urls() } == .damaged)
      if bit.isMultiple(of: 2) { #expect(try images.store.remove(url)) }
    }
    try images.insert(url, [4])
    #expect(try images.bytes(url) == [4])
    #expect(try images.store.check() == [])
  }

  @Test("a missing chunk is detected")
  func missingChunk() throws {
    let entry = try #require(try images.entries("bodies").last)
    try images.change("bodies") { table, transaction throws(LMDBError) in
      _ = try transaction.delete(table, entry.key.span.bytes)
    }
    #expect(try code { _ = try images.bytes("other") } == .damaged)
  }

  @Test("a valid image or row at the position of another one is detected")
  func movedBody() throws {
    try images.insert(url, TestImages.bytes(300_000, seed: 3))
    let bodies = try images.entries("bodies")
    for chunk in 0..<2 { try images.put("bodies", bodies[chunk].key, bodies[chunk + 2].value) }
    let damaged = try [url, "other"].filter { url in
      try code { _ = try images.bytes(url) } == .damaged
    }
    #expect(damaged.count == 1)
    let rows = try images.entries("images")
    try images.put("images", rows[0].key, rows[1].value)
    let moved = try [url, "other"].filter { url in
      try code { _ = try images.store.contains(url) } == .damaged
    }
    #expect(moved.count == 1)
  }

  @Test("an image that was stored again is verified again")
  func newGeneration() throws {
    try images.insert(url, [1, 2, 3])
    #expect(try images.bytes(url) == [1, 2, 3])
    try images.insert(url, [1, 2, 3, 4])
    let entry = try #require(try images.entries("bodies").first { $0.value == [1, 2, 3, 4] })
    try images.put("bodies", entry.key, [1, 2, 3, 5])
    #expect(try code { _ = try images.bytes(url) } == .damaged)
  }

  @Test("a sweep removes unreadable rows, even of images to keep")
  func sweep() throws {
    try images.flip("images", 0, bit: 100)
    let report = try images.store.sweep(keeping: ["other"])
    #expect(report.removed == 1)
    #expect(report.damaged == 1)
    #expect(try images.store.check() == [])
  }

  @Test("a damaged ring entry evicts no image")
  func ring() throws {
    let images = try TestImages(byteCap: 1 << 20)
    try images.insert("a", TestImages.bytes(50_000))
    try images.flip("ring", 0, bit: 3)
    for number in 0..<40 { try images.insert("\(number)", TestImages.bytes(50_000)) }
    #expect(try images.bytes("39") != nil)
    #expect(try images.store.statistics().occupiedBytes <= 1 << 20)
  }

  @Test("an image with a damaged ring entry can be removed and replaced")
  func damagedRingEntry() throws {
    let images = try TestImages()
    for bit in stride(from: 0, to: 320, by: 37) {
      try images.insert(url, [1, 2, 3])
      try images.flip("ring", 0, bit: bit)
      #expect(try images.store.check().count == 1)
      if bit.isMultiple(of: 2) { #expect(try images.store.remove(url)) }
      try images.insert(url, [4])
      #expect(try images.bytes(url) == [4])
      #expect(try images.store.check() == [])
    }
  }

  @Test("a sweep restores ring entries and recounts the images", arguments: [2, 9])
  func strayRingEntries(count: Int) throws {
    let images = try TestImages()
    for number in 0..<count { try images.insert("\(number)", [UInt8(number)]) }
    try images.flip("ring", 0, bit: 3)
    let lost = try images.entries("ring")[1]
    try images.change("ring") { table, transaction throws(LMDBError) in
      _ = try transaction.delete(table, lost.key.span.bytes)
      // Adds an entry at a position that is not in its image's row.
      let key = [UInt8](repeating: 9, count: 8)
      try transaction.put(table, key.span.bytes, lost.value.span.bytes)
    }
    #expect(try !images.store.check().isEmpty)
    try images.store.sweep(keeping: (0..<count).map { "\($0)" })
    #expect(try images.store.check() == [])
    #expect(try images.store.statistics().imageCount == count)
    for number in 0..<count { #expect(try images.bytes("\(number)") == [UInt8(number)]) }
  }

  @Test("a sweep removes bytes without an image")
  func strayBytes() throws {
    let images = try TestImages()
    try images.insert("kept", [1])
    try images.insert(url, TestImages.bytes(300_000))
    let bodies = try images.entries("bodies").filter { $0.value.count > 1 }
    #expect(try images.store.remove(url))
    for body in bodies { try images.put("bodies", body.key, body.value) }
    #expect(try images.store.check() == ["there are bytes without an image"])
    try images.store.removeExpired()
    #expect(try images.store.check() == [])
    #expect(try images.bytes("kept") == [1])
  }

  // MARK: Absence

  @Test("an image with a missing row is reported as damaged, not as absent, until a sweep")
  func hiddenRow() throws {
    try images.insert(url, [1, 2, 3])
    let rows = try images.entries("images")
    for row in rows {
      try images.change("images") { table, transaction throws(LMDBError) in
        _ = try transaction.delete(table, row.key.span.bytes)
      }
    }
    for url in [url, "other"] {
      #expect(try code { _ = try images.bytes(url) } == .damaged)
      #expect(try code { _ = try images.store.contains(url) } == .damaged)
    }
    #expect(try images.bytes("never stored") == nil)
    #expect(try images.store.check().contains { $0.hasPrefix("bucket ") })
    try images.store.sweep(keeping: [url, "other"])
    #expect(try images.bytes(url) == nil)
    try images.insert(url, [4])
    #expect(try images.bytes(url) == [4])
  }

  @Test("a row under a wrong key is detected, and so is its missing image")
  func movedRow() throws {
    let row = try #require(try images.entries("images").first)
    try images.change("images") { table, transaction throws(LMDBError) in
      _ = try transaction.delete(table, row.key.span.bytes)
      var key = row.key
      key[15] ^= 1
      try transaction.put(table, key.span.bytes, row.value.span.bytes)
    }
    #expect(try code { _ = try images.bytes("other") } == .damaged)
    #expect(try images.store.check().count >= 2)
  }

  @Test("a damaged bucket is reported until an image is stored in it, and images stay readable")
  func bucket() throws {
    let images = try TestImages()
    try images.insert(url, [1])
    let bucket = try #require(
      try images.entries("meta").firstIndex { $0.key.starts(with: Array("shelf".utf8)) })
    try images.flip("meta", bucket, bit: 20)
    #expect(try images.bytes(url) == [1])
    #expect(try images.store.check().count == 1)
    try images.insert(url, [2])
    #expect(try images.bytes(url) == [2])
    #expect(try images.store.check() == [])
  }

  @Test("a store of version 1 is readable and gets its buckets with the first change")
  func firstVersion() throws {
    let images = try TestImages()
    for number in 0..<50 { try images.insert("\(number)", [UInt8(number)]) }
    try images.change("meta") { table, transaction throws(LMDBError) in
      try Self.makeFirstVersion(table, &transaction)
    }
    #expect(try images.bytes("7") == [7])
    #expect(try images.bytes("50") == nil)
    #expect(try images.store.check() == [])
    #expect(try images.entries("meta").count == 2)
    #expect(try images.store.remove("7"))
    #expect(try images.entries("meta").count > 40)
    #expect(try images.store.check() == [])
    #expect(try images.bytes("8") == [8] && images.bytes("7") == nil)
  }

  private static func makeFirstVersion(
    _ meta: Table, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    let entries = try transaction.reading { view throws(LMDBError) in
      var entries: [(key: [UInt8], value: [UInt8])] = []
      var cursor = try view.cursor(meta)
      while try cursor.next() {
        entries.append((Array(copying: cursor.key), Array(copying: cursor.value)))
      }
      return entries
    }
    for (key, value) in entries {
      var row = Array(value.dropLast(8))
      switch key {
      case Array("format".utf8): row[4] = 1
      case Array("images".utf8): row.removeLast(8)
      default:
        try transaction.delete(meta, key.span.bytes)
        continue
      }
      let checksum = KeyHash.hash(row.span.bytes)
      for shift in stride(from: 0, to: 64, by: 8) {
        row.append(UInt8(truncatingIfNeeded: checksum >> UInt64(shift)))
      }
      try transaction.put(meta, key.span.bytes, row.span.bytes)
    }
  }
}
