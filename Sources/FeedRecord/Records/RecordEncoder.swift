/// Encodes records one after another into a growing buffer.
///
/// `begin` takes the exact size of a record's variable bytes. The fields are then set by their
/// index in the layout. Variable fields are set in ascending order; absent ones are skipped. `end`
/// finishes the record. Once the buffer has grown, encoding neither allocates nor touches reference
/// counts.
///
/// The type is public with an SPI instead of package: only public functions are inlined into
/// another module, and these run at least once per record.
///
/// Calls out of order, or other sizes than announced, are bugs of the caller and trap.
@_spi(Ingest) public struct RecordEncoder: ~Copyable, Sendable {
  /// The maximum number of variable bytes of a record. Callers of `begin` reject more before.
  @inlinable public static var maximumVariableByteCount: Int { 1 << 30 }
  /// `removeAll` releases a buffer larger than this.
  @inlinable static var retainedCapacity: Int { 1 << 20 }

  /// A finished record, which begins at the end of the previous one.
  @usableFromInline
  struct Finished: Sendable, BitwiseCopyable {
    @usableFromInline let end: Int
    @usableFromInline let keyHash: UInt64
    @usableFromInline let isWide: Bool

    @inlinable
    init(end: Int, keyHash: UInt64, isWide: Bool) {
      self.end = end
      self.keyHash = keyHash
      self.isWide = isWide
    }
  }

  @usableFromInline let locations: [FieldLocation]
  @usableFromInline let shape: RecordShape
  @usableFromInline let narrowShape: NarrowRecord.Shape
  @usableFromInline let narrowLimit = BlockFormat.maximumNarrowByteCount
  @usableFromInline var isLastShort = true
  @usableFromInline var store: ByteStore
  /// A ``Finished`` for each record. An array would check for unique ownership at each access.
  @usableFromInline var finished: ByteStore
  @usableFromInline var finishedCount = 0
  @usableFromInline var finishedByteCount = 0

  // The current record; all offsets count from the start of the buffer.
  @usableFromInline var isOpen = false
  @usableFromInline var width = OffsetWidth.narrow
  @usableFromInline var recordStart = 0
  /// The first 64 bits of the record's bitmap. Bits in memory would each wait for the last write.
  @usableFromInline var bitmap: UInt64 = 0
  @usableFromInline var endsStart = 0
  @usableFromInline var variableStart = 0
  /// The offset of the next variable byte.
  @usableFromInline var cursor = 0
  /// The end of the variable bytes.
  @usableFromInline var limit = 0
  /// The slot of the last variable field that was set; -1 before the first one.
  @usableFromInline var lastSlot = -1

  // The texts before the JSON text of the current document.
  @usableFromInline var decodedByteCount = 0
  @usableFromInline var memberByteCount = 0

  // The current list.
  @usableFromInline var elementsLeft = 0
  @usableFromInline var elementsStart = 0
  /// The offset of the next element's end offset.
  @usableFromInline var elementEnd = 0

  /// Creates an encoder for records of one layout, with a buffer of 64 KiB.
  public init(layout: RecordLayout) {
    locations = layout.locations
    shape = layout.shape
    narrowShape = NarrowRecord.Shape(layout.shape)
    store = ByteStore(capacity: 64 << 10)
    finished = ByteStore(capacity: 64 * MemoryLayout<Finished>.stride)
  }

  /// The number of finished records.
  @inlinable
  public var count: Int { finishedCount }

  /// The total bytes of the finished records.
  @inlinable
  public var byteCount: Int { finishedByteCount }

  /// Whether the last record was short, which is the best prediction for the next one.
  @inlinable
  public var expectsShort: Bool { isLastShort }

  /// The size of the buffer, which counts towards the memory budget.
  @inlinable
  public var capacity: Int { store.capacity }

  /// The variable bytes of a list of `count` elements, excluding its elements.
  ///
  /// This is the narrow size, which decides whether a record is narrow or wide.
  @inlinable
  public static func listOverhead(count: Int) -> Int { count > 0 ? 2 * count : 2 }

  /// Begins a record; a record in progress is dropped.
  /// - Parameter variableByteCount: the exact sum of the text bytes and, for each list, its element
  ///   bytes and `listOverhead`.
  @inlinable
  public mutating func begin(variableByteCount: Int) {
    precondition(
      variableByteCount >= 0 && variableByteCount <= Self.maximumVariableByteCount,
      "a record of this size cannot be encoded")
    width = OffsetWidth(variableByteCount: variableByteCount)
    isOpen = true
    recordStart = byteCount
    endsStart = recordStart + shape.endsOffset
    variableStart = recordStart + shape.variableOffset(width)
    cursor = variableStart
    limit = variableStart + variableByteCount
    lastSlot = -1
    bitmap = 0
    elementsLeft = 0
    // In a wide record a list's overhead doubles, so twice the sum is enough for every list.
    store.reserve(width == .wide ? limit + variableByteCount : limit, keeping: recordStart)
    // All end offsets will be written. Absent fields and bits must be zero.
    store.clear(recordStart..<endsStart)
  }

  /// Ends the record, which must have the announced number of variable bytes.
  /// - Parameter keyHash: the hash of its key, stored with the record.
  @inlinable
  public mutating func end(keyHash: UInt64) {
    precondition(isOpen && elementsLeft == 0, "no record, or an unfinished list")
    precondition(cursor == limit, "a record has other variable bytes than announced")
    writeEnds(upTo: shape.endCount)
    store.storeFirst(min(shape.bitmapByteCount, 8), of: bitmap, at: recordStart)
    isOpen = false
    append(Finished(end: cursor, keyHash: keyHash, isWide: width == .wide))
  }

  @inlinable @inline(__always)
  mutating func append(_ record: Finished) {
    // No overflow: this number of bytes has been allocated.
    let offset = finishedCount &* MemoryLayout<Finished>.stride
    finished.reserve(offset &+ MemoryLayout<Finished>.stride, keeping: offset)
    finished.base.storeBytes(of: record, toByteOffset: offset, as: Finished.self)
    finishedCount &+= 1
    finishedByteCount = record.end
  }

  @inlinable @inline(__always)
  func finished(at index: Int) -> Finished {
    precondition(index >= 0 && index < finishedCount)
    return finished.base.load(
      fromByteOffset: index * MemoryLayout<Finished>.stride, as: Finished.self)
  }

  /// Drops the record in progress.
  @inlinable
  public mutating func cancel() {
    isOpen = false
  }

  /// Drops all records. Keeps the buffer unless it has grown over 1 MiB.
  public mutating func removeAll() {
    isOpen = false
    finishedCount = 0
    finishedByteCount = 0
    if finished.capacity > Self.retainedCapacity {
      finished.replace(capacity: Self.retainedCapacity, keeping: 0)
    }
    if store.capacity > Self.retainedCapacity {
      store.replace(capacity: Self.retainedCapacity, keeping: 0)
    }
  }

  /// Drops the finished records from `index` on.
  public mutating func removeRecords(from index: Int) {
    isOpen = false
    precondition(index >= 0 && index <= finishedCount)
    finishedCount = index
    finishedByteCount = end(of: index - 1)
  }

  /// The bytes of a finished record.
  @inlinable @_lifetime(borrow self)
  public func bytes(at index: Int) -> RawSpan {
    store.bytes(start(of: index)..<end(of: index))
  }

  /// The bytes of consecutive finished records.
  @inlinable @_lifetime(borrow self)
  public func bytes(in range: Range<Int>) -> RawSpan {
    store.bytes(start(of: range.lowerBound)..<start(of: range.upperBound))
  }

  /// The size of a finished record.
  @inlinable
  public func byteCount(at index: Int) -> Int { end(of: index) - start(of: index) }

  @inlinable
  func start(of index: Int) -> Int { end(of: index - 1) }

  /// 0 for the index before the first.
  @inlinable
  func end(of index: Int) -> Int { index >= 0 ? finished(at: index).end : 0 }

  /// The hash of a finished record's key.
  @inlinable
  public func keyHash(at index: Int) -> UInt64 { finished(at: index).keyHash }

  /// Whether a finished record has 32-bit end offsets and so needs a block of its own.
  @inlinable
  public func isWide(at index: Int) -> Bool { finished(at: index).isWide }
}
