public import CFeedScan

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The memory of a tape: plain buffers at stable addresses. A lane owns, allocates and frees them.
/// Only the lane writes, and only while no other thread reads.
///
/// A record is a row with one entry for each slot of the selection. The elements of lists follow
/// one another in a separate buffer.
@_spi(Records)
public struct TapeStorage {
  /// Readable bytes after the chunk and the arena; their values are undefined.
  @usableFromInline static var padding: Int { InputSegment.padding }

  /// The number of entries of a row.
  @usableFromInline let slotCount: Int
  @usableFromInline private(set) var rows: UnsafeMutablePointer<TapeEntry>
  private var rowCapacity: Int
  /// The number of finished records.
  @usableFromInline private(set) var recordCount = 0
  /// The row of the record in progress.
  private(set) var row: UnsafeMutablePointer<TapeEntry>
  @usableFromInline private(set) var elements: UnsafeMutablePointer<TapeEntry>
  @usableFromInline private(set) var elementCount = 0
  private var elementCapacity = 4096
  @usableFromInline private(set) var arena: UnsafeMutablePointer<UInt8>
  @usableFromInline private(set) var arenaCount = 0
  private var arenaCapacity = 16 << 10
  /// The bytes to which the entries refer. The reader owns them and does not move them.
  @usableFromInline var text = feedscan_text()
  @inlinable @inline(__always) var chunk: UnsafePointer<UInt8>? { UnsafePointer(text.chunk) }
  @usableFromInline var chunkCount = 0
  /// The range of each record in the chunk; also owned by the reader.
  @usableFromInline var bounds: UnsafePointer<Range<Int>>?
  @usableFromInline var boundCount = 0

  /// The paths of a document's values, by the numbers in their entries.
  var paths = PathTable()

  init(slotCount: Int) {
    self.slotCount = slotCount
    rowCapacity = 64
    rows = .allocate(capacity: (rowCapacity + 1) * slotCount)
    row = rows
    elements = .allocate(capacity: elementCapacity)
    arena = .allocate(capacity: arenaCapacity + Self.padding)
  }

  func deallocate() {
    rows.deallocate()
    elements.deallocate()
    arena.deallocate()
  }

  /// Empties the tape for a chunk of at most `records` records.
  mutating func removeAll(records: Int) {
    recordCount = 0
    elementCount = 0
    arenaCount = 0
    // The memory of a huge record is freed.
    if elementCapacity > 1 << 18 {
      elements.deallocate()
      elementCapacity = 4096
      elements = .allocate(capacity: elementCapacity)
    }
    if arenaCapacity > 1 << 20 {
      arena.deallocate()
      arenaCapacity = 16 << 10
      arena = .allocate(capacity: arenaCapacity + Self.padding)
    }
    if rowCapacity < records {
      rows.deallocate()
      rowCapacity = records
      // One row more than records, for a record that YAJL finds beyond the last one.
      rows = .allocate(capacity: (rowCapacity + 1) * slotCount)
    }
    row = rows
  }

  /// Clears the row in progress for a new record.
  @inline(__always)
  mutating func beginRecord() {
    UnsafeMutableRawPointer(row).initializeMemory(
      as: UInt8.self, repeating: 0, count: slotCount * MemoryLayout<TapeEntry>.stride)
  }

  @inline(__always)
  mutating func endRecord() {
    recordCount += 1
    row += slotCount
  }

  /// Appends an element of a list. Returns false if the buffer is full.
  @inline(__always)
  mutating func appendElement(_ entry: TapeEntry) -> Bool {
    guard elementCount < elementCapacity else { return false }
    elements[elementCount] = entry
    elementCount &+= 1
    return true
  }

  /// Appends an element of a list.
  mutating func append(_ entry: TapeEntry) {
    if elementCount == elementCapacity { growElements() }
    elements[elementCount] = entry
    elementCount &+= 1
  }

  /// Keeps only the first `count` elements.
  mutating func removeElements(from count: Int) { elementCount = min(count, elementCount) }

  mutating func growElements() {
    let other = UnsafeMutablePointer<TapeEntry>.allocate(capacity: 2 * elementCapacity)
    other.update(from: elements, count: elementCount)
    elements.deallocate()
    elements = other
    elementCapacity *= 2
  }

  /// Copies bytes to the arena and returns their offset there.
  mutating func appendToArena(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> Int {
    let start = arenaCount
    if start + length > arenaCapacity { growArena(to: max(start + length, 2 * arenaCapacity)) }
    (arena + start).update(from: bytes, count: length)
    arenaCount = start + length
    return start
  }

  /// Makes space for all text of the next record.
  mutating func growArenaForRecord() {
    guard let bounds, recordCount < boundCount else { return }
    growArena(to: max(arenaCount + bounds[recordCount].count, 2 * arenaCapacity))
  }

  private mutating func growArena(to capacity: Int) {
    let other = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + Self.padding)
    other.update(from: arena, count: arenaCount)
    arena.deallocate()
    arena = other
    arenaCapacity = capacity
  }

  /// Validates the records after those on the tape by a program, up to one that it cannot take.
  mutating func replay(
    _ program: OpaquePointer, _ kernel: feedscan_kernel
  ) -> feedscan_replay_stop {
    guard text.chunk != nil, let bounds, recordCount < boundCount else { return FEEDSCAN_REPLAYED }
    var tape = feedscan_tape(
      row: row, elements: elements, element_count: elementCount,
      element_capacity: elementCapacity, arena: arena, arena_count: arenaCount,
      arena_capacity: arenaCapacity)
    let count = boundCount - recordCount
    // The layout of a range is its two bounds, like that of the C struct.
    let result = UnsafeRawPointer(bounds + recordCount).withMemoryRebound(
      to: feedscan_range.self, capacity: count
    ) { feedscan_replay(program, text, $0, count, &tape, kernel) }
    row = tape.row
    elementCount = tape.element_count
    arenaCount = tape.arena_count
    recordCount += result.count
    return result.stop
  }

  /// Removes the records from an index on. The memory of their lists and texts is not reused.
  mutating func removeRecords(from index: Int) {
    row -= (recordCount - index) * slotCount
    recordCount = index
  }

  /// The number of leading records that have equal values at equal positions on both tapes.
  ///
  /// - Parameter other: a tape that YAJL has written.
  func commonRecordCount(with other: TapeStorage) -> Int {
    let sharesPaths = paths.agrees(with: other.paths)
    for record in 0..<min(recordCount, other.recordCount) {
      let isCopied = rows[record * slotCount].isOfCopiedRecord
      for slot in record * slotCount..<(record + 1) * slotCount
      where !isSame(
        rows[slot], as: other.rows[slot], on: other, sharesPaths, hasOtherPositions: isCopied)
      {
        return record
      }
      if isCopied || rows[record * slotCount].isOfCompactRecord, !hasCompactText(record) {
        return record
      }
    }
    return min(recordCount, other.recordCount)
  }

  /// Whether a record that replay marks as compact is compact. For a copied record, whether the
  /// copy and the positions in it are correct.
  private func hasCompactText(_ record: Int) -> Bool {
    guard let chunk, let bounds, record < boundCount else { return false }
    let (list, range) = (rows[record * slotCount], bounds[record])
    var expected = [UInt8](repeating: 0, count: range.count + Self.padding)
    let count = feedscan_strip(
      chunk + range.lowerBound, range.count, &expected, FEEDSCAN_SCALAR)
    guard list.isOfCopiedRecord else { return count == range.count }
    let place = rows[record * slotCount + 1]
    let copy = arena + Int(place.offset)
    guard Int(place.length) == count, memcmp(copy, expected, count) == 0 else { return false }
    return (0..<Int(list.length)).allSatisfy { index in
      let value = elements[Int(list.offset) + index]
      let length = Int(value.length)
      return Int(value.position) + length <= count
        && memcmp(copy + Int(value.position), chunk + Int(value.offset), length) == 0
    }
  }

  // Compares paths by their keys if the tapes number them differently. Most paths are numbered in
  // order of appearance, also in records that are rejected later. How much of such a record YAJL
  // reads depends on the number of records in its input.
  private func isSame(
    _ entry: TapeEntry, as twin: TapeEntry, on other: TapeStorage, _ sharesPaths: Bool,
    hasOtherPositions: Bool
  ) -> Bool {
    if entry.kind == .absent { return twin.kind == .absent }
    // Only replay knows that a record is compact, and makes copies.
    let compact = UInt8(FEEDSCAN_COMPACT | FEEDSCAN_COPIED)
    guard entry.kind == twin.kind, entry.flags | compact == twin.flags | compact,
      entry.length == twin.length,
      entry.position == twin.position || hasOtherPositions && entry.kind != .list,
      sharesPaths
        ? entry.path == twin.path : paths.keys(to: entry.path) == other.paths.keys(to: twin.path)
    else { return false }
    if entry.kind == .list {
      return (0..<Int(entry.length)).allSatisfy { index in
        isSame(
          elements[Int(entry.offset) + index], as: other.elements[Int(twin.offset) + index],
          on: other, sharesPaths, hasOtherPositions: hasOtherPositions)
      }
    }
    guard entry.isInArena else { return entry.offset == twin.offset }
    return memcmp(
      arena + Int(entry.offset), other.arena + Int(twin.offset), Int(entry.length)) == 0
  }
}
