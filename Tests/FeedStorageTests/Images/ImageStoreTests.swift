import FeedRecord
import FeedStorage
import LMDB
import TestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct ImageStoreTests {
  let images: TestImages
  private let url = "https://example.com/a.png"

  init() throws { images = try TestImages() }

  @Test(
    "an image of any size is returned as it was stored",
    arguments: [
      0, 1, 7, 2_000, 4_080, 262_144, 266_224, 266_225, 532_448, 1_000_000, 16 << 20,
    ])
  func roundTrip(count: Int) throws {
    let bytes = TestImages.bytes(count)
    try images.insert(url, bytes)
    let image = try #require(try images.store.retrieve(url))
    #expect(image.bytes == bytes)
    #expect(image.description.byteCount == count)
    #expect(image.description.checksum == KeyHash.hash(bytes.span.bytes))
    #expect(try images.store.check() == [])
  }

  @Test("the metadata of an image is returned with it")
  func metadata() throws {
    let metadata = ImageMetadata(
      contentType: "image/png", entityTag: "\"é\"", lastModified: "Wed, 21 Oct 2015 07:28:00 GMT",
      fetchedReferenceSeconds: 12.5, expiryReferenceSeconds: 2_000)
    let bytes: [UInt8] = [1, 2, 3]
    try images.store.insert(bytes.span.bytes, for: url, metadata)
    let description = try #require(try images.store.description(of: url))
    #expect(description.metadata == metadata)
    #expect(description.url == url)
  }

  @Test(
    "an HTTP URL is stored in its requested form and found in either form",
    arguments: [
      ("https://e.com/m%20x[1].png", "https://e.com/m%20x%5B1%5D.png"),
      ("https://e.com/a b?q[]=%20#f", "https://e.com/a%20b?q%5B%5D=%20#f"),
      ("http://e.com/é", "http://e.com/%C3%A9"), ("http://e.com/%", "http://e.com/%25"),
      ("http://[::1]/[", "http://[::1]/%5B"), ("HTTP://e.com/a b", "HTTP://e.com/a%20b"),
    ])
  func escaped(given: String, stored: String) throws {
    try images.insert(given, [1])
    #expect(try images.urls() == [stored])
    for url in [given, stored] {
      #expect(try images.bytes(url) == [1])
      #expect(try images.store.contains(url))
      #expect(try images.store.description(of: url)?.url == stored)
      #expect(try images.store.renew(url, metadata: ImageMetadata(entityTag: url)))
    }
    try images.insert(stored, [2])
    #expect(try images.bytes(given) == [2])
    #expect(try images.store.sweep(keeping: [given]).removed == 0)
    #expect(try images.store.remove(given))
    #expect(try images.urls() == [])
  }

  @Test(
    "a text that is not an HTTP URL is compared byte for byte",
    arguments: ["a b", "[", "/a b.png", "//e.com/[", "http://a b/", "http:[", "ftp://e.com/[", "é"])
  func unescaped(text: String) throws {
    try images.insert(text, [1])
    #expect(try images.urls() == [text])
    #expect(try images.bytes(text) == [1])
  }

  @Test("the media type is detected from the bytes, or else is the given one")
  func mediaType() throws {
    let gif = Array("GIF89a".utf8)
    for (bytes, type) in [(gif, "image/gif"), ([1, 2, 3], "image/png")] {
      try images.store.insert(bytes.span.bytes, for: url, ImageMetadata(contentType: "image/png"))
      #expect(try images.store.description(of: url)?.metadata.contentType == type)
    }
  }

  @Test("missing metadata stays nil, except the time of fetching, which is now")
  func noMetadata() throws {
    try images.insert(url, [1])
    let metadata = try #require(try images.store.description(of: url)).metadata
    #expect(metadata == ImageMetadata(fetchedReferenceSeconds: images.now))
  }

  @Test("up to 256 KiB are one chunk, more are several", arguments: [262_144, 700_000])
  func chunks(count: Int) throws {
    let bytes = TestImages.bytes(count)
    try images.insert(url, bytes)
    var copies: [[UInt8]] = []
    let result = try images.store.withImageData(for: url) { chunks throws(StoreError) in
      while let chunk = try chunks.next() { copies.append(chunk.withUnsafeBytes { Array($0) }) }
      return "done"
    }
    #expect(result == "done")
    #expect(copies.count == (count == 262_144 ? 1 : 3))
    #expect(Array(copies.joined()) == bytes)
  }

  @Test("two readers receive the same bytes of the map")
  func noCopy() throws {
    try images.insert(url, TestImages.bytes(100_000))
    func address() throws -> Int? {
      try images.store.withImageData(for: url) { chunks throws(StoreError) -> Int in
        guard let chunk = try chunks.next() else { return 0 }
        return chunk.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
      }
    }
    let first = try #require(try address())
    #expect(first % 16 == 0)
    #expect(try address() == first)
  }

  @Test("the error of a body is thrown to the caller")
  func bodyError() throws {
    try images.insert(url, [1])
    let failure = try code {
      _ = try images.store.withImageData(for: url) { _ throws(StoreError) -> Int in
        throw StoreError(.cancelled, "enough")
      }
    }
    #expect(failure == .cancelled)
  }

  @Test("the last insertion for a URL replaces the previous one completely")
  func overwrite() throws {
    try images.insert(url, TestImages.bytes(700_000))
    try images.insert(url, [7])
    #expect(try images.bytes(url) == [7])
    let statistics = try images.store.statistics()
    #expect(statistics.imageCount == 1)
    #expect(statistics.byteCount == 1)
    #expect(try images.entries("bodies").count == 1)
    #expect(try images.entries("ring").count == 1)
  }

  @Test("another URL has no image, and a removed image is gone")
  func missing() throws {
    #expect(try images.bytes(url) == nil)
    #expect(try images.store.remove(url) == false)
    try images.insert(url, TestImages.bytes(300_000))
    #expect(try images.bytes(url + "?") == nil)
    #expect(try images.store.contains(url))
    #expect(try images.store.remove(url + "?") == false)
    #expect(try images.store.remove(url))
    #expect(try images.store.contains(url) == false)
    #expect(try images.entries("bodies").isEmpty)
    #expect(try images.entries("ring").isEmpty)
  }

  @Test("an image is returned before its expiry and not at it")
  func expiry() throws {
    try images.insert(url, [1], expires: 2_000)
    images.now = 1_999.999
    #expect(try images.bytes(url) == [1])
    images.now = 2_000
    #expect(try images.bytes(url) == nil)
    #expect(try images.store.contains(url) == false)
    #expect(try images.urls() == [url])
    images.now = 1_000
    #expect(try images.bytes(url) == [1])
  }

  @Test("a renewed image has the same bytes and new validators and times")
  func renewal() throws {
    let bytes = TestImages.bytes(300_000)
    let metadata = ImageMetadata(
      contentType: "image/png", entityTag: "1", lastModified: "yesterday",
      expiryReferenceSeconds: 2_000)
    try images.store.insert(bytes.span.bytes, for: url, metadata)
    let stored = try images.entries("bodies").map(\.key)
    images.now = 3_000
    #expect(try images.bytes(url) == nil)
    let news = ImageMetadata(entityTag: "2", expiryReferenceSeconds: 4_000)
    #expect(try images.store.renew(url, metadata: news))
    let image = try #require(try images.store.retrieve(url))
    #expect(image.bytes == bytes)
    #expect(
      image.description.metadata
        == ImageMetadata(
          contentType: "image/png", entityTag: "2", lastModified: "yesterday",
          fetchedReferenceSeconds: 3_000, expiryReferenceSeconds: 4_000))
    #expect(try images.entries("bodies").map(\.key) == stored)
    #expect(try images.store.statistics().insertions == 1)
    #expect(try images.store.check() == [])
    images.now = 4_000
    #expect(try images.bytes(url) == nil)
  }

  @Test("an image that has replaced the requested one is not renewed")
  func renewalOfAnother() throws {
    let metadata = ImageMetadata(entityTag: "1")
    let first: [UInt8] = [1]
    let second: [UInt8] = [2]
    try images.store.insert(first.span.bytes, for: url, metadata)
    let checksum = try images.store.description(of: url)?.checksum
    try images.store.insert(second.span.bytes, for: url, ImageMetadata(entityTag: "2"))
    #expect(try !images.store.renew(url, of: checksum, metadata: metadata))
    #expect(try images.store.description(of: url)?.metadata.entityTag == "2")
  }

  @Test("a missing image or one of another URL is not renewed")
  func renewalOfNothing() throws {
    #expect(try images.store.renew(url, metadata: ImageMetadata()) == false)
    let images = try TestImages { $0.hash = { _ in 42 } }
    try images.insert("a", [1], expires: 2_000)
    #expect(try images.store.renew("b", metadata: ImageMetadata()) == false)
    #expect(try images.store.description(of: "a")?.metadata.expiryReferenceSeconds == 2_000)
    let long = ImageMetadata(entityTag: String(repeating: "a", count: 4_097))
    #expect(try code { try images.store.renew("a", metadata: long) } == .tooLarge)
  }

  @Test("renewing many images does not exceed the cap")
  func renewalUnderCap() throws {
    let images = try TestImages(byteCap: 1 << 20)
    var count = 0
    while try images.store.statistics().evictions == 0 {
      try images.insert("\(count)", [1])
      count += 1
    }
    let tag = String(repeating: "t", count: 4_096)
    var renewed = 0
    for number in 0..<count {
      if try images.store.renew("\(number)", metadata: ImageMetadata(entityTag: tag)) {
        renewed += 1
      }
      try #require(try images.store.statistics().occupiedBytes <= 1 << 20)
    }
    #expect(renewed > 50)
    #expect(try images.store.check() == [])
  }

  @Test("only reads are counted, as hits and misses")
  func lookups() throws {
    try images.insert(url, [1], expires: 2_000)
    for _ in 0..<3 { _ = try images.bytes(url) }
    _ = try images.bytes("other")
    _ = try images.store.contains(url)
    let second = try ImageStore.open(at: images.directory.path)
    #expect(try second.retrieve("another") == nil)
    images.now = 2_000
    _ = try images.bytes(url)
    for store in [images.store, second] {
      let lookups = try #require(try store.statistics().lookups)
      #expect(lookups.hits == 3 && lookups.misses == 3 && lookups.hitRatio == 0.5)
    }
  }

  @Test("two URLs with the same hash have separate images")
  func collision() throws {
    let images = try TestImages { $0.hash = { _ in 42 } }
    try images.insert("a", [1])
    #expect(try images.bytes("b") == nil)
    #expect(try images.store.contains("b") == false)
    #expect(try images.store.remove("b") == false)
    try images.insert("b", [2])
    #expect(try images.bytes("b") == [2])
    #expect(try images.bytes("a") == nil)
    #expect(try images.store.check() == [])
  }

  @Test("an image or a text over its limit is refused and changes nothing")
  func limits() throws {
    let images = try TestImages { $0.imageLimit = 1_000 }
    try images.insert(url, [1])
    #expect(try code { try images.insert(url, TestImages.bytes(1_001)) } == .tooLarge)
    let long = String(repeating: "a", count: 65_537)
    #expect(try code { try images.insert(long, [1]) } == .tooLarge)
    let bytes: [UInt8] = [2]
    #expect(
      try code {
        try images.store.insert(bytes.span.bytes, for: url, ImageMetadata(entityTag: long))
      } == .tooLarge)
    #expect(try images.bytes(url) == [1])
    try images.insert(String(long.dropFirst()), TestImages.bytes(1_000))
    #expect(try images.urls().count == 2)
  }

  @Test("an image larger than 16 MiB is refused by default")
  func defaultLimit() throws {
    let bytes = [UInt8](repeating: 0, count: 16 << 20 | 1)
    #expect(try code { try images.insert(url, bytes) } == .tooLarge)
    let larger = try TestImages { $0.imageLimit = 24 << 20 }
    try larger.insert(url, bytes)
    #expect(try larger.bytes(url)?.count == bytes.count)
  }

  @Test("images persist after closing and reopening the store")
  func reopen() throws {
    let directory = try TemporaryDirectory()
    for round in 0..<2 {
      let store = try ImageStore.open(
        at: directory.path, options: .init(createsMissing: round == 0))
      if round == 0 {
        let bytes = TestImages.bytes(5_000)
        try store.insert(bytes.span.bytes, for: url)
      } else {
        #expect(try store.retrieve(url)?.bytes == TestImages.bytes(5_000))
      }
    }
  }

  @Test("a missing store that may not be created is not found")
  func missingStore() throws {
    let directory = try TemporaryDirectory()
    let options = ImageStore.Options(createsMissing: false)
    #expect(try code { _ = try ImageStore.open(at: directory.path, options: options) } == .notFound)
    #expect(directory.names() == [])
  }

  @Test("another kind of store, or a newer one, is refused")
  func otherStore() throws {
    let directory = try TemporaryDirectory()
    _ = try ImageStore.open(at: directory.path)
    try FileManager.default.moveItem(
      atPath: directory.path + "/images", toPath: directory.path + "/feeds")
    #expect(try code { _ = try FeedDatabase.open(at: directory.path) } == .damaged)
    try images.change("meta") { table, transaction throws(LMDBError) in
      var row: [UInt8] = [0x46, 0x43, 0x49, 0x4D, 99, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
      let checksum = KeyHash.hash(row.span.bytes)
      for shift in stride(from: 0, to: 64, by: 8) {
        row.append(UInt8(truncatingIfNeeded: checksum >> UInt64(shift)))
      }
      try transaction.put(table, Array("format".utf8).span.bytes, row.span.bytes)
    }
    #expect(try code { _ = try ImageStore.open(at: images.directory.path) } == .incompatible)
  }

  @Test("Foundation's types work the same")
  func foundation() throws {
    let url = try #require(URL(string: "https://example.com/ü.png"))
    let data = Data(TestImages.bytes(300_000))
    try images.store.insert(data, for: url)
    #expect(try images.store.retrieve(dataForURL: url) == data)
    #expect(try images.store.contains(url))
    #expect(try images.store.contains(url.absoluteString))
    try images.store.sweep(keeping: [url])
    #expect(try images.store.remove(url))
    #expect(try images.store.retrieve(dataForURL: url) == nil)
  }
}
