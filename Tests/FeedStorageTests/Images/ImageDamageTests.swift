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

  @Test("a flipped bit in an image is found, and the message says what to do", arguments: [0, 1])
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

  @Test("every flipped bit of a row is found, and the image can be removed or replaced")
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

  @Test("a missing piece is found")
  func missingPiece() throws {
    let entry = try #require(try images.entries("bodies").last)
    try images.change("bodies") { table, transaction throws(LMDBError) in
      _ = try transaction.delete(table, entry.key.span.bytes)
    }
    #expect(try code { _ = try images.bytes("other") } == .damaged)
  }

  @Test("a whole image in the place of another is found, and so is its row")
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

  @Test("what has been verified once is verified again when it was stored anew")
  func newGeneration() throws {
    try images.insert(url, [1, 2, 3])
    #expect(try images.bytes(url) == [1, 2, 3])
    try images.insert(url, [1, 2, 3, 4])
    let entry = try #require(try images.entries("bodies").first { $0.value == [1, 2, 3, 4] })
    try images.put("bodies", entry.key, [1, 2, 3, 5])
    #expect(try code { _ = try images.bytes(url) } == .damaged)
  }

  @Test("a sweep removes rows that cannot be read, whoever wants their images")
  func sweep() throws {
    try images.flip("images", 0, bit: 100)
    let report = try images.store.sweep(keeping: ["other"])
    #expect(report.removed == 1)
    #expect(report.damaged == 1)
    #expect(try images.store.check() == [])
  }

  @Test("a place in the ring that damage has left behind evicts nobody")
  func ring() throws {
    let images = try TestImages(byteCap: 1 << 20)
    try images.insert("a", TestImages.bytes(50_000))
    try images.flip("ring", 0, bit: 3)
    for number in 0..<40 { try images.insert("\(number)", TestImages.bytes(50_000)) }
    #expect(try images.bytes("39") != nil)
    #expect(try images.store.statistics().occupiedBytes <= 1 << 20)
  }
}
