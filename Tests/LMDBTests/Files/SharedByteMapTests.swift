import CLMDB
import LMDB
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct SharedByteMapTests {
  let directory: TemporaryDirectory
  private var path: String { directory.path + "/bytes" }

  init() throws { directory = try TemporaryDirectory() }

  private func status() -> stat {
    var status = stat()
    stat(path, &status)
    return status
  }

  @Test("a new map is all zeros, and its file has its final size")
  func new() throws {
    let map = try SharedByteMap.open(path, count: 100_000)
    #expect((0..<100_000).allSatisfy { !map.isMarked($0) })
    #expect(status().st_size == 100_000)
    #expect(status().st_blocks * 512 >= 100_000)
    #expect(directory.names() == ["bytes"])
  }

  @Test("a mark is visible to every map of the file, including later ones")
  func shared() throws {
    let map = try SharedByteMap.open(path, count: 5_000)
    let other = try SharedByteMap.open(path, count: 5_000)
    map.mark(7)
    map.mark(4_999)
    #expect(other.isMarked(7) && other.isMarked(4_999) && !other.isMarked(8))
    other.clear(7)
    #expect(!map.isMarked(7))
    #expect(try SharedByteMap.open(path, count: 5_000).isMarked(4_999))
  }

  @Test("counters sum the increments of all maps, and are stored after the bytes")
  func counters() async throws {
    let maps = try (0..<2).map { _ in try SharedByteMap.open(path, count: 100, counters: 3) }
    maps[0].mark(99)
    await withTaskGroup(of: Void.self) { group in
      for map in maps {
        group.addTask { for _ in 0..<10_000 { map.increment(2) } }
      }
    }
    for index in [-1, 3, Int.max] { maps[0].increment(index) }
    #expect(maps[1].isMarked(99))
    #expect((-1...3).map { maps[1].value(ofCounter: $0) } == [0, 0, 0, 20_000, 0])
    #expect(try SharedByteMap.openExisting(path, count: 100) === nil)
  }

  @Test("an index outside the map is never marked", arguments: [-1, 5_000, Int.max, Int.min])
  func outside(index: Int) throws {
    let map = try SharedByteMap.open(path, count: 5_000)
    map.mark(index)
    map.clear(index)
    #expect(!map.isMarked(index))
  }

  @Test(
    "a file of another size is replaced, and its existing maps stay readable",
    arguments: [0, 9_999])
  func otherSize(count: Int) throws {
    let old = try SharedByteMap.open(path, count: 5_000)
    let inode = status().st_ino
    #expect(truncate(path, off_t(count)) == 0)
    if count > 5_000 { old.mark(4_999) }
    let new = try SharedByteMap.open(path, count: 5_000)
    #expect(status().st_ino != inode)
    #expect(status().st_size == 5_000)
    new.mark(1)
    if count > 5_000 { #expect(old.isMarked(4_999) && !old.isMarked(1)) }
  }

  @Test("the leftovers of a killed creator are used")
  func leftOver() throws {
    let file = fopen(path + ".5000.new", "w")
    fputs("xx", file)
    fclose(file)
    let map = try SharedByteMap.open(path, count: 5_000)
    #expect(!map.isMarked(0))
    #expect(directory.names() == ["bytes"])
  }

  @Test("a path that cannot hold a file is an error")
  func impossible() throws {
    #expect(throws: LMDBError.self) { try SharedByteMap.open("/dev/null/bytes", count: 10) }
    #expect(throws: LMDBError.self) { try SharedByteMap.open(directory.path, count: 10) }
  }
}
