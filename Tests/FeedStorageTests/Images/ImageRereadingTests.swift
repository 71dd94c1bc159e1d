import FeedStorage
import LMDB
import TestSupport
import Testing

/// Cached images are never used after they have changed.
@Suite struct ImageRereadingTests {
  let images: TestImages
  private let url = "https://example.com/a.png"

  init() throws { images = try TestImages() }

  @Test("a repeated read returns the image that any process stored last")
  func replaced() throws {
    let other = try ImageStore.open(at: images.directory.path)
    for round in UInt8(1)...5 {
      let bytes = [UInt8](repeating: round, count: 5_000)
      try other.insert(bytes.span.bytes, for: url, ImageMetadata(entityTag: "\(round)"))
      for _ in 0..<2 {
        let image = try #require(try images.store.retrieve(url))
        #expect(image.bytes == bytes)
        #expect(image.description.metadata.entityTag == "\(round)")
      }
    }
    #expect(try other.remove(url))
    #expect(try images.bytes(url) == nil)
  }

  @Test("a repeated read returns renewed metadata")
  func renewed() throws {
    try images.insert(url, [1], expires: 2_000)
    for tag in ["a", "b"] {
      let metadata = ImageMetadata(entityTag: tag, expiryReferenceSeconds: 2_000)
      try images.store.renew(url, metadata: metadata)
      for _ in 0..<2 {
        #expect(try images.store.retrieve(url)?.description.metadata.entityTag == tag)
      }
    }
  }

  @Test("an image that was read before its expiry is not returned after it")
  func expired() throws {
    try images.insert(url, [1], expires: 2_000)
    for _ in 0..<2 { #expect(try images.bytes(url) == [1]) }
    images.now = 2_000
    #expect(try images.bytes(url) == nil)
    images.now = 1_999
    #expect(try images.bytes(url) == [1])
  }

  @Test("changes to other images do not affect a repeated read")
  func otherChanges() throws {
    let bytes = TestImages.bytes(300_000)
    try images.insert(url, bytes)
    for number in UInt8(0)..<5 {
      #expect(try images.bytes(url) == bytes)
      try images.insert("\(number)", [number])
    }
  }

  @Test("an image that was read is not served to another URL of the same hash")
  func collision() throws {
    let images = try TestImages { $0.hash = { _ in 42 } }
    try images.insert("a", [1])
    for _ in 0..<2 {
      #expect(try images.bytes("a") == [1])
      #expect(try images.bytes("b") == nil)
    }
    try images.insert("b", [2])
    for _ in 0..<2 {
      #expect(try images.bytes("b") == [2])
      #expect(try images.bytes("a") == nil)
    }
  }

  @Test("repeated reads of many images return the right bytes")
  func many() throws {
    let count = 1_000
    let images = try TestImages { $0.hash = { Self.hash($0) } }
    for number in 0..<count { try images.insert("\(number)", Self.bytes(of: number)) }
    for _ in 0..<2 {
      for number in 0..<count {
        try #require(try images.bytes("\(number)") == Self.bytes(of: number))
      }
    }
  }

  private static func bytes(of number: Int) -> [UInt8] { Array("image \(number)".utf8) }

  /// Few of the lower bits differ, so that images displace each other from the cache.
  private static func hash(_ url: RawSpan) -> UInt128 {
    let text = String(decoding: Array(copying: url), as: UTF8.self)
    return UInt128(text).map { $0 << 60 | $0 % 64 } ?? 0
  }

  @Test("a chunk that is lost after a read is detected")
  func lostChunk() throws {
    try images.insert(url, TestImages.bytes(300_000))
    #expect(try images.bytes(url) != nil)
    let entry = try #require(try images.entries("bodies").last)
    try images.change("bodies") { table, transaction throws(LMDBError) in
      _ = try transaction.delete(table, entry.key.span.bytes)
    }
    #expect(try code { _ = try images.bytes(url) } == .damaged)
  }

  @Test("damage of a row is detected after a read")
  func damagedRow() throws {
    try images.insert(url, [1, 2, 3])
    #expect(try images.bytes(url) == [1, 2, 3])
    try images.flip("images", 0, bit: 100)
    #expect(try code { _ = try images.bytes(url) } == .damaged)
  }
}
