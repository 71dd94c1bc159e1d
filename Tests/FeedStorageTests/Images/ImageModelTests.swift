import FeedStorage
import TestSupport
import Testing

@Suite struct ImageModelTests {
  private struct Entry {
    var bytes: [UInt8]
    var expires: Double?
  }

  @Test("the store behaves like a dictionary", arguments: 1...4)
  func model(seed: UInt64) throws {
    let images = try TestImages()
    var generator = SeededGenerator(seed: seed)
    var model: [String: Entry] = [:]
    for step in 0..<600 {
      let url = "https://example.com/\(Int.random(in: 0..<40, using: &generator))"
      switch Int.random(in: 0..<12, using: &generator) {
      case 0..<5:
        let power = Int.random(in: 0...19, using: &generator)
        let count = Int.random(in: 0...(1 << power), using: &generator)
        let expires = Bool.random(using: &generator) ? images.now + 50 : nil
        let bytes = TestImages.bytes(count, seed: seed &* 1_000 &+ UInt64(step))
        try images.insert(url, bytes, expires: expires)
        model[url] = Entry(bytes: bytes, expires: expires)
      case 5: #expect(try images.store.remove(url) == (model.removeValue(forKey: url) != nil))
      case 6: images.now += 20
      case 7:
        let kept = model.keys.filter { _ in Bool.random(using: &generator) }
        try images.store.sweep(keeping: kept)
        model = model.filter {
          kept.contains($0.key) && ($0.value.expires ?? .infinity) > images.now
        }
      default:
        let wanted = model[url].flatMap { ($0.expires ?? .infinity) > images.now ? $0.bytes : nil }
        try #require(try images.bytes(url) == wanted)
      }
    }
    #expect(try images.urls() == Set(model.keys))
    let statistics = try images.store.statistics()
    #expect(statistics.byteCount == model.values.reduce(0) { $0 + $1.bytes.count })
    #expect(statistics.evictions == 0)
    #expect(try images.store.check() == [])
  }

  @Test("a read during writes returns a complete image of its URL or none")
  func concurrent() async throws {
    let images = try TestImages(byteCap: 4 << 20)
    let failures = await withTaskGroup(of: Int.self) { group in
      for task in 0..<4 {
        group.addTask { Self.work(images, seed: UInt64(task), writes: task < 2) }
      }
      return await group.reduce(0, +)
    }
    #expect(failures == 0)
    #expect(try images.store.statistics().evictions > 0)
    #expect(try images.store.check() == [])
  }

  /// Every image repeats one byte, which identifies its URL.
  private static func work(_ images: TestImages, seed: UInt64, writes: Bool) -> Int {
    var generator = SeededGenerator(seed: seed)
    var failures = 0
    for _ in 0..<300 {
      let number = UInt8.random(in: 0..<40, using: &generator)
      let count = Int.random(in: 1...500_000, using: &generator)
      do {
        if writes {
          try images.insert("\(number)", [UInt8](repeating: number, count: count))
        } else if let bytes = try images.bytes("\(number)"), !bytes.allSatisfy({ $0 == number }) {
          failures += 1
        }
      } catch {
        failures += 1
      }
    }
    return failures
  }
}
