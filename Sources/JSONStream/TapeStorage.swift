/// The memory of a tape: plain buffers at stable addresses, owned by a lane, which allocates and
/// frees them. Only the lane writes, and only while nobody reads.
@_spi(Records)
public struct TapeStorage {
  @usableFromInline private(set) var entries: UnsafeMutablePointer<TapeEntry>
  @usableFromInline var count = 0
  private var capacity = 4096
  @usableFromInline private(set) var arena: UnsafeMutablePointer<UInt8>
  @usableFromInline private(set) var arenaCount = 0
  private var arenaCapacity = 16 << 10
  /// For each finished record, how many entries stood on the tape at its end.
  @usableFromInline private(set) var ends: UnsafeMutablePointer<Int>
  @usableFromInline private(set) var recordCount = 0
  private var recordCapacity = 1024
  /// The bytes that the entries point into; the reader's, which keeps them in place.
  @usableFromInline var chunk: UnsafePointer<UInt8>?
  @usableFromInline var chunkCount = 0
  /// Where each record begins and ends in the chunk; the reader's too.
  @usableFromInline var bounds: UnsafePointer<Range<Int>>?
  @usableFromInline var boundCount = 0

  init() {
    entries = .allocate(capacity: capacity)
    arena = .allocate(capacity: arenaCapacity)
    ends = .allocate(capacity: recordCapacity)
  }

  func deallocate() {
    entries.deallocate()
    arena.deallocate()
    ends.deallocate()
  }

  /// Empties the tape for a chunk of at most `records` records.
  mutating func removeAll(records: Int) {
    count = 0
    arenaCount = 0
    recordCount = 0
    // One huge record must not keep its memory from the next.
    if capacity > 1 << 18 { Self.resize(&entries, &capacity, keeping: 0, to: 4096) }
    if arenaCapacity > 1 << 20 { Self.resize(&arena, &arenaCapacity, keeping: 0, to: 16 << 10) }
    if recordCapacity < records { Self.resize(&ends, &recordCapacity, keeping: 0, to: records) }
  }

  @inline(__always)
  mutating func append(_ entry: TapeEntry) {
    if count == capacity { Self.resize(&entries, &capacity, keeping: count, to: 2 * capacity) }
    entries[count] = entry
    count += 1
  }

  /// Copies bytes to the arena and returns where they begin there.
  mutating func appendToArena(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> Int {
    let start = arenaCount
    if start + length > arenaCapacity {
      let wanted = max(start + length, 2 * arenaCapacity)
      Self.resize(&arena, &arenaCapacity, keeping: start, to: wanted)
    }
    (arena + start).update(from: bytes, count: length)
    arenaCount = start + length
    return start
  }

  @inline(__always)
  mutating func endRecord() {
    ends[recordCount] = count
    recordCount += 1
  }

  /// Takes back what an unfinished record has written.
  mutating func dropUnfinished() {
    count = recordCount == 0 ? 0 : ends[recordCount - 1]
  }

  private static func resize<Element: BitwiseCopyable>(
    _ buffer: inout UnsafeMutablePointer<Element>, _ capacity: inout Int, keeping count: Int,
    to newCapacity: Int
  ) {
    let other = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
    other.update(from: buffer, count: count)
    buffer.deallocate()
    buffer = other
    capacity = newCapacity
  }
}
