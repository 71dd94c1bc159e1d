public import CFeedScan

/// The selected values of the records that a lane validated last, in document order.
///
/// Text is borrowed, not copied: it is in the chunk, or in the tape's arena if it had to be
/// unescaped. Both stay valid until the lane validates the next chunk, which cannot happen while
/// the tape is borrowed.
///
/// It is public as SPI instead of `package`: only public functions are inlined into another module,
/// and these run many times for each record.
@_spi(Records) public struct RecordTape: ~Copyable {
  @usableFromInline let storage: UnsafePointer<TapeStorage>
  /// The index in the document of its first record.
  package let firstRecord: Int
  /// The consumer's state for the lane. Only the thread of the lane uses it.
  package let context: AnyObject?

  init(_ storage: UnsafePointer<TapeStorage>, firstRecord: Int, context: AnyObject?) {
    self.storage = storage
    self.firstRecord = firstRecord
    self.context = context
  }

  /// The number of records on the tape.
  @inlinable @inline(__always) public var recordCount: Int { storage.pointee.recordCount }

  /// The number of slots of a record: one for each path and group of the selection, and a last one
  /// for a record that is not an object.
  @inlinable @inline(__always) public var slotCount: Int { storage.pointee.slotCount }

  /// The entry of each slot of a record.
  @inlinable @inline(__always) @_lifetime(borrow self)
  public func entries(of record: Int) -> Span<TapeEntry> {
    precondition(record >= 0 && record < recordCount, "a record of another tape")
    let count = slotCount
    let span = Span(_unsafeStart: storage.pointee.rows + record * count, count: count)
    return _overrideLifetime(span, borrowing: self)
  }

  /// Whether a record is an array.
  @inlinable @inline(__always)
  public func isArray(_ record: Int) -> Bool {
    let row = entries(of: record)
    return row[row.count - 1].kind == .array
  }

  /// The elements of a list.
  @inlinable @inline(__always) @_lifetime(borrow self)
  public func elements(of list: TapeEntry) -> Span<TapeEntry> {
    let start = Int(list.offset)
    // This holds for every list that a lane wrote.
    precondition(
      list.kind == .list && start + Int(list.length) <= storage.pointee.elementCount,
      "a list of another tape")
    let span = Span(_unsafeStart: storage.pointee.elements + start, count: Int(list.length))
    return _overrideLifetime(span, borrowing: self)
  }

  /// An element of any list, by its index among all of them.
  @inlinable @inline(__always)
  public func element(at index: Int) -> TapeEntry {
    precondition(index >= 0 && index < storage.pointee.elementCount, "an element of another tape")
    return storage.pointee.elements[index]
  }

  /// The keys from the record to a value of a document; a nil element means "any element of an
  /// array". Returns nil if the document has more paths than the lane numbers.
  package func keys(to value: TapeEntry) -> [String?]? {
    keyBytes(toPath: value.path)?.map { key in key.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// The UTF-8 of the keys to the values of a path, by its number.
  package func keyBytes(toPath path: UInt16) -> [[UInt8]?]? { storage.pointee.paths.keys(to: path) }

  /// The text of a string or the digits of a number.
  ///
  /// ``textPadding`` bytes after it may be read too; their values are undefined.
  @inlinable @inline(__always) @_lifetime(borrow self)
  public func bytes(of entry: TapeEntry) -> RawSpan {
    let tape = storage
    let start = Int(entry.offset)
    let length = Int(entry.length)
    let limit = entry.isInArena ? tape.pointee.arenaCount : tape.pointee.chunkCount
    let source = entry.isInArena ? UnsafePointer(tape.pointee.arena) : tape.pointee.chunk
    // This holds for every entry that a lane wrote. The check costs nothing.
    guard let source, start <= limit, length <= limit - start else { return RawSpan() }
    let span = RawSpan(_unsafeStart: UnsafeRawPointer(source + start), byteCount: length)
    return _overrideLifetime(span, borrowing: self)
  }

  /// Readable bytes after every text.
  @inlinable @inline(__always) public static var textPadding: Int { TapeStorage.padding }

  /// The text of a record in the input.
  @inlinable @_lifetime(borrow self)
  public func rawBytes(of record: Int) -> RawSpan {
    let range = rawRange(of: record)
    guard let chunk = storage.pointee.chunk else { return RawSpan() }
    let span = RawSpan(
      _unsafeStart: UnsafeRawPointer(chunk + range.lowerBound), byteCount: range.count)
    return _overrideLifetime(span, borrowing: self)
  }

  /// The bytes of a range of the chunk, to which the offsets of a document's values refer.
  @inlinable @inline(__always) @_lifetime(borrow self)
  public func chunkBytes(_ range: Range<Int>) -> RawSpan {
    // This holds for every value that a lane wrote.
    guard let chunk = storage.pointee.chunk, range.lowerBound >= 0,
      range.upperBound <= storage.pointee.chunkCount
    else { return RawSpan() }
    let span = RawSpan(
      _unsafeStart: UnsafeRawPointer(chunk + range.lowerBound), byteCount: range.count)
    return _overrideLifetime(span, borrowing: self)
  }

  /// The copy of a record without white space outside strings. Call it only if
  /// `isOfCopiedRecord` holds for the list of its values.
  @inlinable @inline(__always) @_lifetime(borrow self)
  public func copiedBytes(of record: Int) -> RawSpan {
    let place = entries(of: record)[1]
    let (start, length, limit) = (Int(place.offset), Int(place.length), storage.pointee.arenaCount)
    // This holds for every copy that a lane made.
    guard start <= limit, length <= limit - start else { return RawSpan() }
    let span = RawSpan(
      _unsafeStart: UnsafeRawPointer(storage.pointee.arena + start), byteCount: length)
    return _overrideLifetime(span, borrowing: self)
  }

  /// The number of bytes of a record in the input.
  @inlinable @inline(__always)
  public func rawByteCount(of record: Int) -> Int { rawRange(of: record).count }

  /// The key of a record that is the value of an object's member: the bytes between its quotes, as
  /// written in the input.
  @_lifetime(borrow self)
  public func memberKey(of record: Int) -> RawSpan {
    guard let chunk = storage.pointee.chunk,
      let range = MemberKeyScan.range(before: rawRange(of: record).lowerBound, in: chunk)
    else { return RawSpan() }
    let span = RawSpan(
      _unsafeStart: UnsafeRawPointer(chunk + range.lowerBound), byteCount: range.count)
    return _overrideLifetime(span, borrowing: self)
  }

  /// The offset of a record in its chunk, to which the offsets of its values refer.
  package func rawStart(of record: Int) -> Int { rawRange(of: record).lowerBound }

  /// Copies a part of a record without white space outside strings.
  ///
  /// - Parameters:
  ///   - range: offsets in the chunk, inside the record; both are outside strings.
  ///   - target: memory for as many bytes and ``textPadding`` more.
  /// - Returns: the number of copied bytes.
  package func copyCompact(
    _ range: Range<Int>, of record: Int, to target: UnsafeMutableRawPointer,
    _ kernel: feedscan_kernel
  ) -> Int {
    let bounds = rawRange(of: record)
    guard let chunk = storage.pointee.chunk, bounds.contains(range) else { return 0 }
    // The text is followed by a segment's padding.
    return feedscan_strip(
      chunk + range.lowerBound, range.count, target.assumingMemoryBound(to: UInt8.self), kernel)
  }

  @inlinable @inline(__always)
  func rawRange(of record: Int) -> Range<Int> {
    guard let bounds = storage.pointee.bounds, record >= 0, record < storage.pointee.boundCount
    else { return 0..<0 }
    return bounds[record]
  }
}

/// One selected value of a record, as a lane wrote it to its tape. All zeros is an absent value.
///
/// The layout is a C struct, because the walk that replays records writes the same tape.
@_spi(Records) public typealias TapeEntry = feedscan_tape_entry

extension feedscan_tape_entry {
  /// The kind of value of an entry.
  @_spi(Records) public typealias Kind = feedscan_kind

  /// True if the text was unescaped into the lane's arena and is not in the chunk.
  @inlinable @inline(__always) var isInArena: Bool { flags & UInt8(FEEDSCAN_IN_ARENA) != 0 }

  /// True if the text is in the chunk with its escapes, as in the values of a document.
  package var isEscaped: Bool { flags & UInt8(FEEDSCAN_ESCAPED) != 0 }

  /// True if this is the list of a record's values, and the record is known to have no white space
  /// outside strings.
  @inlinable @inline(__always) public var isOfCompactRecord: Bool {
    flags & UInt8(FEEDSCAN_COMPACT) != 0
  }

  /// True if this is the list of a record's values, and the tape has only the first values.
  package var isCut: Bool { flags & UInt8(FEEDSCAN_CUT) != 0 }

  /// True if this is the list of a record's values, and the tape has the record without white space
  /// outside strings. The values have their positions in that copy.
  @inlinable @inline(__always) public var isOfCopiedRecord: Bool {
    flags & UInt8(FEEDSCAN_COPIED) != 0
  }

  @inline(__always)
  init(
    _ kind: Kind, flags: Int = 0, path: UInt16 = 0, length: Int, offset: Int, position: Int
  ) {
    // A chunk is no longer than the limit of a record, which fits 32 bits.
    self.init(
      kind: kind, flags: UInt8(truncatingIfNeeded: flags), path: path,
      length: UInt32(truncatingIfNeeded: length), offset: UInt32(truncatingIfNeeded: offset),
      position: UInt32(truncatingIfNeeded: position))
  }

  /// The offset in the chunk of a byte of the value's token. Also orders entries by position. It has
  /// no meaning in a copied record.
  @_spi(Records) public var tokenByte: Int {
    let isStart = kind == .number || (kind == .string && !isInArena)
    return Int(position) - (isStart ? 0 : 1)
  }
}

extension RawSpan {
  /// The byte at an offset, bounds-checked. Public as SPI, so that it is inlined.
  @_spi(Records) @inlinable @inline(__always) public func byte(at offset: Int) -> UInt8 {
    unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}
