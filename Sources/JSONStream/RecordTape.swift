/// The selected values of the records that a lane has proved last, in document order.
///
/// Text is lent, not copied: it lies in the chunk, or in the tape's arena where it had to be
/// unescaped. Both stay in place until the lane proves the next chunk, which cannot happen while
/// the tape is borrowed.
///
/// Public behind an SPI, not package: only public functions are inlined into another module, and
/// these run many times a record.
@_spi(Records) public struct RecordTape: ~Copyable {
  @usableFromInline let storage: UnsafePointer<TapeStorage>
  /// The index in its document of the first record on the tape.
  public let firstRecord: Int

  init(_ storage: UnsafePointer<TapeStorage>, firstRecord: Int) {
    self.storage = storage
    self.firstRecord = firstRecord
  }

  /// How many records are on the tape.
  @inlinable @inline(__always) public var recordCount: Int { storage.pointee.recordCount }

  /// The entries of one record, as indices.
  @inlinable @inline(__always) public func entryRange(of record: Int) -> Range<Int> {
    precondition(record >= 0 && record < recordCount, "a record of another tape")
    let ends = storage.pointee.ends
    return (record == 0 ? 0 : ends[record - 1])..<ends[record]
  }

  /// One entry; `index` comes from ``entryRange(of:)``.
  @inlinable @inline(__always) public func entry(_ index: Int) -> TapeEntry {
    precondition(index >= 0 && index < storage.pointee.count, "an entry of another tape")
    return storage.pointee.entries[index]
  }

  /// The text of a string or the digits of a number.
  @inlinable @inline(__always) @_lifetime(borrow self)
  public func bytes(of entry: TapeEntry) -> RawSpan {
    let tape = storage
    let start = Int(entry.offset)
    let length = Int(entry.length)
    let limit = entry.isInArena ? tape.pointee.arenaCount : tape.pointee.chunkCount
    let source = entry.isInArena ? UnsafePointer(tape.pointee.arena) : tape.pointee.chunk
    // True of every entry that a lane wrote; checked all the same, since it costs nothing.
    guard let source, start <= limit, length <= limit - start else { return RawSpan() }
    let span = RawSpan(_unsafeStart: UnsafeRawPointer(source + start), byteCount: length)
    return _overrideLifetime(span, borrowing: self)
  }

  /// A record as it stands in the input.
  @inlinable @_lifetime(borrow self)
  public func rawBytes(of record: Int) -> RawSpan {
    guard let chunk = storage.pointee.chunk, let bounds = storage.pointee.bounds,
      record >= 0, record < storage.pointee.boundCount
    else { return RawSpan() }
    let range = bounds[record]
    let span = RawSpan(
      _unsafeStart: UnsafeRawPointer(chunk + range.lowerBound), byteCount: range.count)
    return _overrideLifetime(span, borrowing: self)
  }
}
