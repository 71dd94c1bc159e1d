import TestSupport
import Testing

@testable import FeedServer

@Suite("Cached responses of RESP")
struct RESPResponseCacheTests {
  @Test("are found by their keys: always the newest, and never the response of another key")
  func finding() {
    // The table is so small that keys replace each other.
    var cache = RESPResponseCache(byteCount: 4_000)
    var random = SeededGenerator(seed: 1)
    var newest: [String: String] = [:]
    var found = 0
    for turn in 0..<5_000 {
      let key = "key \(Int.random(in: 0..<60, using: &random))"
      if let answer = Self.answer(key, in: cache) {
        #expect(answer == newest[key])
        found += 1
      }
      if Bool.random(using: &random) {
        newest[key] = String(repeating: "\(turn),", count: Int.random(in: 1...9, using: &random))
        Self.insert(newest[key] ?? "", for: key, into: &cache)
        #expect(Self.answer(key, in: cache) == newest[key])
      }
      #expect(cache.byteCount <= 4_000)
    }
    #expect(found > 500)
  }

  @Test("are evicted by newer ones, the oldest first")
  func oldest() {
    var cache = RESPResponseCache(byteCount: 64 << 10)
    func answer(_ number: Int) -> String { String(repeating: "\(number),", count: 40) }
    for number in 0..<2_000 { Self.insert(answer(number), for: "key \(number)", into: &cache) }
    let kept = (0..<2_000).filter { Self.answer("key \($0)", in: cache) == answer($0) }
    #expect(kept.count > 200)
    // The newest responses stay, except where their keys collide in the table.
    #expect(kept.suffix(100).first ?? 0 > 1_890)
    #expect(kept.first ?? 0 > 1_600)
    #expect(cache.byteCount <= 64 << 10)
  }

  @Test("are not cached without memory for them")
  func noMemory() {
    for byteCount in [-1, 0, 1, 127, 128] {
      var cache = RESPResponseCache(byteCount: byteCount)
      Self.insert(String(repeating: "a", count: 200), for: "k", into: &cache)
      #expect(Self.answer("k", in: cache) == nil)
      #expect(cache.byteCount <= max(byteCount, 0))
    }
  }

  @Test("are returned with the feed and the epoch for which they are valid")
  func epochs() {
    var cache = RESPResponseCache(byteCount: 1 << 20)
    Self.insert("a", for: "k", feed: 3, epoch: 1 << 40, into: &cache)
    let known = cache.find(Array("k".utf8).span.bytes, hash: Self.hash("k"))
    #expect(known?.origin == RESPResponseCache.Origin(feed: 3, epoch: 1 << 40))
  }

  @Test("are not cached if they are long")
  func long() {
    var cache = RESPResponseCache(byteCount: 1 << 20)
    let answer = String(repeating: "a", count: RESPResponseCache.maximumResponseBytes + 1)
    Self.insert(answer, for: "k", into: &cache)
    #expect(Self.answer("k", in: cache) == nil)
    #expect(cache.byteCount == 0)
  }

  private static func hash(_ key: String) -> UInt64 {
    RESPResponseCache.hash(Array(key.utf8).span.bytes)
  }

  private static func insert(
    _ answer: String, for key: String, feed: Int = 0, epoch: UInt64 = 1,
    into cache: inout RESPResponseCache
  ) {
    let (key, answer) = (Array(key.utf8), Array(answer.utf8))
    let hash = RESPResponseCache.hash(key.span.bytes)
    cache.insert(key.span.bytes, hash: hash, answer.span.bytes, feed: feed, epoch: epoch)
  }

  private static func answer(_ key: String, in cache: borrowing RESPResponseCache) -> String? {
    guard let known = cache.find(Array(key.utf8).span.bytes, hash: hash(key)) else { return nil }
    let bytes = cache.storage.extracting(known.range)
    return String(decoding: bytes.withUnsafeBytes { Array($0) }, as: UTF8.self)
  }
}
