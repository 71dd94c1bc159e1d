import FeedStorage
import LMDB
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct ImageEvictionTests {
  @Test("the images never occupy more than the cap")
  func cap() throws {
    let byteCap = 4 << 20
    let images = try TestImages(byteCap: byteCap)
    var generator = SeededGenerator(seed: 3)
    for number in 0..<400 {
      let count = Int.random(
        in: 0...(1 << Int.random(in: 0...20, using: &generator)), using: &generator)
      let url = "\(Int.random(in: 0..<300, using: &generator))"
      try images.insert(url, TestImages.bytes(count, seed: UInt64(number)))
      let statistics = try images.store.statistics()
      try #require(statistics.occupiedBytes <= byteCap)
      try #require(statistics.byteCount <= statistics.occupiedBytes)
      if number.isMultiple(of: 3) {
        let other = "\(Int.random(in: 0..<300, using: &generator))"
        _ = try images.bytes(other)
        if number.isMultiple(of: 2) { try images.store.remove(other) }
      }
    }
    #expect(try images.store.statistics().evictions > 50)
    #expect(try images.store.check() == [])
  }

  @Test("an image is refused after a reader made the file too large, which the error names")
  func reader() throws {
    let images = try TestImages(byteCap: 16 << 20) { $0.fileByteLimit = 32 << 20 }
    let bytes = TestImages.bytes(4 << 20)
    try images.insert("held", bytes)
    var failure: StoreError?
    try images.store.withImageData(for: "held") { chunks throws(StoreError) in
      do {
        for number in 0..<40 { try images.insert("\(number)", bytes) }
      } catch {
        failure = error as? StoreError
      }
      #expect(try images.store.statistics().fileBytes < 128 << 20)
    }
    #expect(failure?.code == .busy)
    #expect(failure?.message.contains("the process \(getpid())") == true)
    #expect(try images.store.check() == [])
    try images.insert("later", bytes)
    #expect(try images.bytes("later") == bytes)
  }

  @Test("the oldest image is evicted first, unless it was read")
  func clock() throws {
    let images = try TestImages(byteCap: 1 << 20)
    let bytes = TestImages.bytes(200_000)
    for url in ["a", "b", "c", "d"] { try images.insert(url, bytes) }
    #expect(try images.urls() == ["a", "b", "c", "d"])
    _ = try images.bytes("a")
    try images.insert("e", bytes)
    #expect(try images.urls() == ["a", "c", "d", "e"])
    // The eviction cleared the mark of a. Now c and d are older than a.
    try images.insert("f", bytes)
    try images.insert("g", bytes)
    #expect(try images.urls() == ["a", "e", "f", "g"])
  }

  @Test("asking whether an image exists does not count as a read")
  func asking() throws {
    let images = try TestImages(byteCap: 1 << 20)
    let bytes = TestImages.bytes(200_000)
    for url in ["a", "b", "c", "d"] { try images.insert(url, bytes) }
    _ = try images.store.contains("a")
    _ = try images.urls()
    try images.insert("e", bytes)
    #expect(try images.urls() == ["b", "c", "d", "e"])
  }

  @Test("an expired image is evicted in its turn, even if it was read")
  func expired() throws {
    let images = try TestImages(byteCap: 1 << 20)
    let bytes = TestImages.bytes(200_000)
    try images.insert("a", bytes, expires: 2_000)
    for url in ["b", "c", "d"] { try images.insert(url, bytes) }
    _ = try images.bytes("a")
    images.now = 3_000
    try images.insert("e", bytes)
    #expect(try images.urls() == ["b", "c", "d", "e"])
  }

  @Test("one image is evicted even if all were read")
  func allRead() throws {
    let images = try TestImages(byteCap: 1 << 20)
    let bytes = TestImages.bytes(200_000)
    for url in ["a", "b", "c", "d"] { try images.insert(url, bytes) }
    for url in ["a", "b", "c", "d"] { _ = try images.bytes(url) }
    try images.insert("e", bytes)
    #expect(try images.urls() == ["b", "c", "d", "e"])
  }

  @Test("one image can evict thousands of small ones in bounded transactions")
  func manySmall() throws {
    let images = try TestImages(byteCap: 8 << 20)
    var count = 0
    while try images.store.statistics().evictions == 0 {
      try images.insert("\(count)", [1])
      count += 1
    }
    #expect(count > 10_000)
    try images.insert("large", TestImages.bytes(7 << 20))
    #expect(try images.bytes("large")?.count == 7 << 20)
    #expect(try images.store.check() == [])
  }

  @Test("an image larger than the cap is refused and evicts nothing")
  func largerThanCap() throws {
    let images = try TestImages(byteCap: 1 << 20)
    try images.insert("a", [1])
    #expect(try code { try images.insert("b", TestImages.bytes(1 << 20)) } == .tooLarge)
    #expect(try images.urls() == ["a"])
    let largest = (1 << 20) - (16 + 1) * 4096 - 4 * 16
    try images.insert("c", TestImages.bytes(largest))
    #expect(try images.bytes("c")?.count == largest)
    #expect(try images.store.statistics().occupiedBytes <= 1 << 20)
  }

  @Test("the store saves its cap, which can be changed when it is opened")
  func changedCap() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    func open(_ byteCap: Int?) throws -> ImageStore {
      try ImageStore.open(at: directory.path, options: .init(byteCap: byteCap))
    }
    let bytes = TestImages.bytes(50_000)
    do {
      let store = try open(8 << 20)
      for number in 0..<100 { try store.insert(bytes.span.bytes, for: "\(number)") }
      #expect(try store.statistics().imageCount == 100)
    }
    #expect(try open(nil).statistics().byteCap == 8 << 20)
    let statistics = try open(2 << 20).statistics()
    #expect(statistics.byteCap == 2 << 20)
    #expect(statistics.occupiedBytes <= 2 << 20)
    #expect(try open(nil).retrieve("99")?.bytes == bytes)
    #expect(try code { _ = try open(1_000) } == .misuse)
  }

  @Test("a cap beyond any file is no limit", arguments: [Int.max, Int.max - 1, Int.max / 21 * 20])
  func boundlessCap(byteCap: Int) throws {
    let images = try TestImages(byteCap: byteCap)
    try images.insert("a", TestImages.bytes(50_000))
    try images.store.setByteCap(1 << 20)
    try images.store.setByteCap(byteCap)
    try images.insert("b", TestImages.bytes(50_000))
    #expect(try images.store.statistics().imageCount == 2)
  }

  @Test("the cap of an open store can be changed, and images beyond it are evicted at once")
  func setCap() throws {
    let images = try TestImages(byteCap: 8 << 20)
    for number in 0..<100 { try images.insert("\(number)", TestImages.bytes(50_000)) }
    try images.store.setByteCap(2 << 20)
    #expect(try images.store.statistics().occupiedBytes <= 2 << 20)
    #expect(try images.bytes("99") != nil)
    #expect(try code { try images.store.setByteCap((1 << 20) - 1) } == .misuse)
    #expect(try images.store.check() == [])
  }

  @Test("marks of reads are shared between processes after a compaction")
  func compaction() throws {
    let images = try TestImages(byteCap: 1 << 20)
    let bytes = TestImages.bytes(200_000)
    for url in ["a", "b", "c", "d"] { try images.insert(url, bytes) }
    _ = try images.bytes("a")
    let environment = try Environment.open(images.directory.path + "/images", .init(tables: []))
    try environment.compact()
    _ = try images.bytes("b")
    let other = try SharedByteMap.open(
      images.directory.path + "/images/access.map", count: 1 << 18, counters: 64)
    #expect((0..<other.count).count { other.isMarked($0) } == 2)
    try images.insert("e", bytes)
    #expect(try images.urls() == ["a", "b", "d", "e"])
  }

  @Test("a restored store has its images and lacks only counters and marks")
  func restored() throws {
    let images = try TestImages(byteCap: 1 << 20)
    _ = try FeedDatabase.open(at: images.directory.path)
    let bytes = TestImages.bytes(200_000)
    for url in ["a", "b", "c", "d"] { try images.insert(url, bytes) }
    _ = try images.bytes("a")
    let other = try TemporaryDirectory(inMemory: true)
    let (backup, target) = (other.path + "/backup", other.path + "/restored")
    _ = try FeedDatabase.open(at: images.directory.path).backUp(to: backup)
    #expect(other.names(in: "backup/images") == ["data.mdb"])
    #expect(try FeedDatabase.restore(target, from: backup) == ["feeds", "images"])
    let store = try ImageStore.open(at: target)
    #expect(try store.statistics().lookups?.hits == 0)
    try store.insert(bytes.span.bytes, for: "e")
    #expect(try store.contains("a") == false)
    #expect(try store.retrieve("b")?.bytes == bytes)
    #expect(try store.check() == [])

    // The marks of the images stay after the restore.
    try images.insert("e", bytes)
    #expect(try FeedDatabase.restore(images.directory.path, from: backup).count == 2)
    #expect(try images.urls() == ["a", "b", "c", "d"])
    #expect(try images.bytes("a") == bytes)
    #expect(try images.store.check() == [])
  }

  @Test("a store without its access map works, and no read is marked")
  func noMap() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let map = directory.path + "/images/access.map"
    _ = try ImageStore.open(at: directory.path)
    // A directory at its path can be neither mapped nor replaced.
    try #require(unlink(map) == 0 && mkdir(map, 0o700) == 0)
    let store = try ImageStore.open(at: directory.path, options: .init(byteCap: 1 << 20))
    let bytes = TestImages.bytes(200_000)
    for url in ["a", "b", "c", "d"] { try store.insert(bytes.span.bytes, for: url) }
    #expect(try store.retrieve("a")?.bytes == bytes)
    try store.insert(bytes.span.bytes, for: "e")
    #expect(try store.contains("a") == false)
    #expect(try store.contains("b"))
  }

  @Test("a full map evicts images to store others")
  func mapFull() throws {
    let images = try TestImages(byteCap: 64 << 20) { $0.mapSize = 8 << 20 }
    let bytes = TestImages.bytes(400_000)
    var evictions = 0
    var most = 0
    for number in 0..<100 {
      try images.insert("\(number)", bytes)
      #expect(try images.bytes("\(number)") == bytes)
      let now = try images.store.statistics().evictions
      most = max(most, now - evictions)
      evictions = now
    }
    #expect(evictions > 50)
    // Freed pages are reusable only after a commit. Without it, more images would be evicted.
    #expect(most <= 3)
    #expect(try images.store.check() == [])
  }

  @Test("the hit ratio on a Zipf trace is that of an exact clock, within 3 %")
  func hitRatio() throws {
    let byteCap = 4 << 20
    let images = try TestImages(byteCap: byteCap)
    let bytes = TestImages.bytes(3_000)
    var trace = ZipfTrace(objects: 6_000, seed: 11)
    let requests = (0..<20_000).map { _ in trace.next() }
    var hits = 0
    var capacity = 0
    for object in requests {
      let url = "https://example.com/\(object)"
      if try images.bytes(url) != nil {
        hits += 1
      } else {
        try images.insert(url, bytes)
        capacity = max(capacity, try images.store.statistics().imageCount)
      }
    }
    // Each image takes a page and a small row, so nine tenths of the cap are used.
    #expect(capacity * 4096 > byteCap * 9 / 10)
    var exact = ExactClock(capacity: capacity)
    for object in requests { exact.request(object, cost: 1) }
    #expect(abs(Double(hits) / Double(exact.hits) - 1) < 0.03, "\(hits) of \(exact.hits)")
  }
}

@Suite struct ImageSoakTests {
  @Test("file and memory stay bounded over 20 caps of images, and the hits match an exact clock")
  func soak() throws {
    // Other tests of this process use memory at the same time. This test writes 1.3 GB.
    let figures = try ImageSoak.run(
      capBytes: 64 << 20, multiple: 20, seed: 5, inMemory: true, memoryBound: 1 << 30)
    #expect(!figures.isEmpty)
  }
}
