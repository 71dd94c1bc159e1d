import FeedCluster
import FeedCore
import FeedStorage
import FeedStoreContract
import RESPClient
import Synchronization
import TestSupport
import Testing
import Threading

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Images in a cluster", .enabled(if: RedisCluster.isAvailable), .serialized)
struct SharedImageTests {
  private let url = "https://example.com/a.png"

  private func images(_ site: Site, _ host: String, _ prefix: String = "fc") throws -> ImageStore {
    try site.open(host, prefix).openImages(ImageStore.Options())
  }

  private func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  @Test("an image that one host stores is read by another")
  func storing() async throws {
    let site = try await Site()
    let (first, second) = (try images(site, "a"), try images(site, "b"))
    let metadata = ImageMetadata(
      contentType: "image/x", entityTag: "\"1\"", lastModified: "then",
      fetchedReferenceSeconds: 5, expiryReferenceSeconds: 1e10)
    for count in [0, 1, 65_536, 65_537, 65_520 * 3, 2_000_000] {
      let url = "https://example.com/\(count).png"
      let data = bytes(count)
      try first.insert(data.span.bytes, for: url, metadata)
      let image = try #require(try second.retrieve(url))
      #expect(image.bytes == data)
      #expect(image.description == (try first.description(of: url)))
      #expect(image.description.metadata == metadata)
    }
    #expect(try second.retrieve("https://example.com/b.png") == nil)
    await site.cluster.close()
  }

  @Test("images of a local store are copied to the cluster, and a host copies back those it read")
  func copies() async throws {
    let site = try await Site()
    let local = try TemporaryDirectory(inMemory: true)
    let back = try TemporaryDirectory(inMemory: true)
    let source = try ImageStore.open(at: local.path)
    let sizes = [0, 1, 65_537, 300_000]
    let urls = sizes.map { "https://example.com/\($0).png" }
    for (size, url) in zip(sizes, urls) {
      try source.insert(bytes(size).span.bytes, for: url, ImageMetadata(entityTag: "\(size)"))
    }
    var report = ImageCopyReport()
    try source.copyImages(to: images(site, "a"), report: &report) { false }
    #expect(report.images == sizes.count)
    let reader = try images(site, "b")
    for url in urls.dropFirst() {
      #expect(try reader.retrieve(url) == source.retrieve(url))
    }
    let target = try ImageStore.open(at: back.path)
    report = ImageCopyReport()
    try reader.copyImages(to: target, report: &report) { false }
    #expect(report.images == sizes.count - 1)
    for url in urls.dropFirst() { #expect(try target.retrieve(url) == source.retrieve(url)) }
    #expect(try target.retrieve(urls[0]) == nil)
    await site.cluster.close()
  }

  @Test("nodes whose memory is full keep an image, refuse another one, and let images be removed")
  func fullMemory() async throws {
    let site = try await Site()
    let first = try images(site, "a")
    try first.insert(bytes(200_000).span.bytes, for: url)
    for node in site.cluster.ports.indices {
      _ = try await site.cluster.command(node, "CONFIG", "SET", "maxmemory", "1")
    }
    for target in [url, "https://example.com/b.png"] {
      let error = #expect(throws: StoreError.self) {
        try first.insert(bytes(100_000, seed: 2).span.bytes, for: target)
      }
      #expect(error?.code == .diskFull)
    }
    #expect(try images(site, "b").retrieve(url)?.bytes == bytes(200_000))
    #expect(try first.remove(url))
    #expect(try images(site, "c").retrieve(url) == nil)
    await site.cluster.close()
  }

  @Test("a replaced, renewed or removed image reaches a host that has no copy yet")
  func replacing() async throws {
    let site = try await Site()
    let first = try images(site, "a")
    for count in [200_000, 10, 300_000] {
      let data = bytes(count, seed: UInt64(count))
      try first.insert(data.span.bytes, for: url)
      #expect(try images(site, "host-\(count)").retrieve(url)?.bytes == data)
    }
    #expect(try first.renew(url, metadata: ImageMetadata(entityTag: "new")))
    let renewed = try #require(try images(site, "renewed").retrieve(url))
    #expect(renewed.description.metadata.entityTag == "new" && renewed.bytes.count == 300_000)
    // A later process of a host compares its copy with the cluster.
    #expect(try images(site, "host-10").retrieve(url)?.bytes.count == 300_000)
    #expect(try first.remove(url))
    #expect(try images(site, "renewed").retrieve(url) == nil)
    #expect(try !first.remove(url))
    await site.cluster.close()
  }

  private func rowKey(_ url: String) -> String {
    "fci:{\(ImageStore.hashText(of: url))}:m"
  }

  @Test("a damaged image is refused, and can be stored again or removed")
  func damage() async throws {
    let site = try await Site()
    let first = try images(site, "a")
    let data = bytes(200_000)
    try first.insert(data.span.bytes, for: url)
    let chunk = try #require(try await site.keys("fci:*").first { $0.hasSuffix(":2") })
    let byte = try await site.command("GETRANGE", chunk, "7", "7")
    _ = try await site.command("SETRANGE", chunk, "7", byte == "x" ? "y" : "x")
    let error = #expect(throws: StoreError.self) { try images(site, "b").retrieve(url) }
    #expect(error?.code == .damaged)
    _ = try await site.command("SETRANGE", rowKey(url), "40", "xyz")
    let row = #expect(throws: StoreError.self) { try images(site, "c").retrieve(url) }
    #expect(row?.code == .damaged)
    try first.insert(data.span.bytes, for: url)
    #expect(try images(site, "d").retrieve(url)?.bytes == data)
    _ = try await site.command("SETRANGE", rowKey(url), "40", "xyz")
    #expect(try first.remove(url))
    #expect(try images(site, "e").retrieve(url) == nil)
    await site.cluster.close()
  }

  @Test("every key of an image has a time to live")
  func timeToLive() async throws {
    let site = try await Site()
    let first = try images(site, "a")
    let day = 86_400.0
    let soon = unixSeconds() + 90
    for expiry in [nil, soon, soon + 365 * day, .infinity, .greatestFiniteMagnitude] as [Double?] {
      let start = unixSeconds()
      let metadata = ImageMetadata(expiryReferenceSeconds: expiry.map { $0 - unixReference })
      try first.insert(bytes(200_000).span.bytes, for: url, metadata)
      let end = unixSeconds()
      // The row and its four chunks expire together. The chunks of replaced images have their own time.
      let last = min(expiry ?? .infinity, start + 30 * day)
      let lifetime = (last - 0.01)...(last + end - start + 0.01)
      let ends = try await expirations(site)
      #expect(lifetime.contains(try #require(ends[rowKey(url)])))
      #expect(ends.values.count { lifetime.contains($0) } == 5)
      let latest = max(lifetime.upperBound, end + 600)
      #expect(ends.values.allSatisfy { (start...latest).contains($0) })
    }
    try first.remove(url)
    let end = unixSeconds()
    for (key, seconds) in try await expirations(site) {
      #expect((end...(end + (key == rowKey(url) ? 3_600 : 600))).contains(seconds))
    }
    await site.cluster.close()
  }

  /// 2001-01-01 in seconds since 1970.
  private let unixReference = 978_307_200.0

  private func unixSeconds() -> Double { ImageStore.Options().now() + unixReference }

  /// When each key of an image expires, in seconds since 1970. Unlike a time to live, it does not
  /// depend on how long the test takes.
  private func expirations(_ site: Site) async throws -> [String: Double] {
    var result: [String: Double] = [:]
    for key in try await site.keys("fci:*") {
      let reply = try await site.command("PEXPIRETIME", key)
      result[key] = try #require(Double(reply)) / 1_000
    }
    return result
  }

  @Test("an expired image is not copied")
  func expired() async throws {
    let site = try await Site()
    let (first, second) = (try images(site, "a"), try images(site, "b"))
    let now = ImageStore.Options().now()
    for seconds in [-1, -.infinity, .nan] as [Double] {
      let url = "https://example.com/\(seconds).png"
      try first.insert(
        bytes(10).span.bytes, for: url, ImageMetadata(expiryReferenceSeconds: now + seconds))
      #expect(try second.retrieve(url) == nil)
    }
    var copies: [String] = []
    try second.forEachImage { image in
      copies.append(image.url)
      return true
    }
    #expect(copies == [])
    await site.cluster.close()
  }

  @Test(
    "a near store drops an image only if the cluster has dropped it entirely",
    arguments: [true, false])
  func dropping(wholly: Bool) async throws {
    let site = try await Site()
    try images(site, "a").insert(bytes(200_000).span.bytes, for: url)
    #expect(try images(site, "b").retrieve(url) != nil)
    for key in try await site.keys("fci:*") where wholly || key.hasSuffix(":2") {
      _ = try await site.command("UNLINK", key)
    }
    // In either case a host without a copy cannot get the image.
    #expect(try images(site, "c").retrieve(url) == nil)
    #expect(try (images(site, "b").retrieve(url) == nil) == wholly)
    #expect(try !images(site, "a").renew(url, metadata: ImageMetadata(entityTag: "x")))
    await site.cluster.close()
  }

  @Test("a renewal does not change an image that another host has stored meanwhile")
  func renewal() async throws {
    let site = try await Site()
    let (first, second) = (try images(site, "a"), try images(site, "b"))
    try first.insert(bytes(10, seed: 1).span.bytes, for: url)
    let old = try #require(try first.retrieve(url)).description.checksum
    try second.insert(bytes(10, seed: 2).span.bytes, for: url)
    #expect(try !first.renew(url, of: old, metadata: ImageMetadata(entityTag: "old")))
    let image = try #require(try images(site, "c").retrieve(url))
    #expect(image.bytes == bytes(10, seed: 2) && image.description.metadata.entityTag == nil)
    await site.cluster.close()
  }

  @Test("concurrent writers leave one whole image; all other chunks have a short time to live")
  func race() async throws {
    let site = try await Site()
    let stores = try (0..<4).map { try images(site, "w\($0)") }
    try await withThrowingTaskGroup { group in
      for (number, store) in stores.enumerated() {
        let data = bytes(150_000, seed: UInt64(number))
        group.addTask {
          try await onWorkerThread {
            for _ in 0..<10 { try store.insert(data.span.bytes, for: url) }
          }
        }
      }
      try await group.waitForAll()
    }
    let image = try #require(try images(site, "r").retrieve(url))
    #expect((0..<4).contains { bytes(150_000, seed: $0) == image.bytes })
    var kept = 0
    for key in try await site.keys("fci:*") {
      if try #require(Int(try await site.command("TTL", key))) > 600 { kept += 1 }
    }
    #expect(kept == 4)
    await site.cluster.close()
  }

  @Test("an image over the cap of the near store is refused before it reaches the cluster")
  func cap() async throws {
    let site = try await Site()
    var options = ImageStore.Options()
    options.byteCap = 1 << 20
    let small = try site.open("a").openImages(options)
    let error = #expect(throws: StoreError.self) {
      try small.insert(bytes(2 << 20).span.bytes, for: url)
    }
    #expect(error?.code == .tooLarge)
    #expect(try await site.keys("fci:*") == [])
    await site.cluster.close()
  }

  @Test("a host whose cap is too small for a new image does not keep the old one")
  func smallerCap() async throws {
    let site = try await Site()
    let first = try images(site, "a")
    try first.insert(bytes(1_000).span.bytes, for: url)
    var options = ImageStore.Options()
    options.byteCap = 1 << 20
    #expect(try site.open("b").openImages(options).retrieve(url) != nil)
    try first.insert(bytes(2 << 20).span.bytes, for: url)
    let small = try images(site, "b")
    let error = #expect(throws: StoreError.self) { try small.retrieve(url) }
    #expect(error?.code == .tooLarge)
    #expect(try small.description(of: url) == nil)
    await site.cluster.close()
  }

  @Test("a row with the image of another URL is refused, and can be replaced")
  func foreignRow() async throws {
    let site = try await Site()
    let first = try images(site, "a")
    let other = "https://example.com/other.png"
    try first.insert(bytes(200_000).span.bytes, for: other)
    let client = try await site.client()
    let row = try await client.send(
      RESPCommand("GET", RESPKey(rowKey(other)), access: .readPrimary))
    let copy = try #require(row.withBytes { bytes in bytes.withUnsafeBytes { Array($0) } })
    _ = try await client.send(RESPCommand("SET", RESPKey(rowKey(url)), .bytes(copy)))
    await client.close()
    let error = #expect(throws: StoreError.self) { try images(site, "b").retrieve(url) }
    #expect(error?.code == .damaged)
    try first.insert(bytes(10).span.bytes, for: url)
    #expect(try images(site, "c").retrieve(url)?.bytes == bytes(10))
    #expect(try images(site, "c").retrieve(other)?.bytes == bytes(200_000))
    await site.cluster.close()
  }

  @Test("a damaged copy is replaced by the image of the cluster")
  func damagedCopy() async throws {
    let site = try await Site()
    let data = bytes(300_000)
    try images(site, "a").insert(data.span.bytes, for: url)
    let path: String
    do {
      let near = try images(site, "b")
      #expect(try near.retrieve(url)?.bytes == data)
      path = near.directory + "/images/data.mdb"
    }
    var file = Array(try Data(contentsOf: URL(filePath: path)))
    let place = try #require(file.firstRange(of: data[100_000..<100_064]))
    file[place.lowerBound] ^= 1
    try Data(file).write(to: URL(filePath: path))
    #expect(try images(site, "b").retrieve(url)?.bytes == data)
    await site.cluster.close()
  }

  @Test("copies are read while the cluster is unavailable")
  func away() async throws {
    let site = try await Site()
    let data = bytes(100_000)
    try images(site, "a").insert(data.span.bytes, for: url)
    let second = try images(site, "b")
    #expect(try second.retrieve(url)?.bytes == data)
    let unread = try images(site, "a")
    let other = "https://example.com/b.png"
    await site.cluster.close()
    #expect(try second.retrieve(url)?.bytes == data)
    // This store has not compared its copy with the cluster yet.
    #expect(try unread.retrieve(url)?.bytes == data)
    let error = #expect(throws: StoreError.self) { try second.retrieve(other) }
    #expect(error?.code == .unreachable)
    // An image that is fetched meanwhile is available on this host.
    let fetched = #expect(throws: StoreError.self) {
      try second.insert(
        data.span.bytes, for: other, ImageMetadata(), patience: .milliseconds(100))
    }
    #expect(fetched?.code == .unreachable)
    #expect(try second.retrieve(other)?.bytes == data)
  }

  @Test("image data stores satisfy the store contract")
  func contract() async throws {
    let site = try await Site()
    let count = Mutex(0)
    let specs = FeedImageDataStoreSpecs(
      makeStore: {
        let number = count.withLock { count in
          count += 1
          return count
        }
        return LMDBFeedImageDataStore(try images(site, "a", "p\(number)"))
      },
      // Another process of the host.
      reopen: { store in
        let near = store.images.directory.split(separator: "/").last ?? ""
        return LMDBFeedImageDataStore(try images(site, "a", String(near.dropLast(2))))
      })
    for rule in specs.rules { try await rule.verify() }
    await site.cluster.close()
  }
}
