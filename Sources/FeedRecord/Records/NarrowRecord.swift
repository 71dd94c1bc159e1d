/// Writes one record with 8-bit or 16-bit end offsets, with all fields in the layout's order.
///
/// ``RecordEncoder`` writes records of every size and order. This type is faster for the common
/// record: the size is bounded instead of known, the state stays in registers, and texts of up to
/// 64 bytes are copied as 64 bytes. The width is known only after the record is written. It starts
/// with that of the previous record, and the record is written again if that was wrong. The width
/// is passed as a constant, so that each has its own code.
///
/// Safety: the pointers lead into the buffer of the encoder that created the value. `beginNarrow`
/// has reserved the record's bound and some slack there, and the buffer does not move until
/// ``RecordEncoder/endNarrow(_:isShort:keyHash:)``. Each write of variable bytes is checked against
/// the bound first; fixed-width fields and offsets lie where the layout defines.
@_spi(Ingest) public struct NarrowRecord: ~Copyable {
  @usableFromInline let start: UnsafeMutableRawPointer
  @usableFromInline let variableStart: UnsafeMutableRawPointer
  @usableFromInline let limit: UnsafeMutableRawPointer
  @usableFromInline var cursor: UnsafeMutableRawPointer
  @usableFromInline var bits: UInt64 = 0
  @usableFromInline let isShort: Bool
  /// The additional bytes that lists would need with 16-bit offsets, if these have 8.
  @usableFromInline var saved = 0

  /// The number of bytes that may be read after each text, and written after the record.
  @inlinable public static var padding: Int { 64 }

  /// The field values that this writer needs.
  public struct Field: Sendable {
    @usableFromInline let presence: UInt64
    @usableFromInline let null: UInt64
    /// The offset of a fixed-width field in the record.
    @usableFromInline let position: UInt16
    /// The offset of the end offset of a variable field, by width; 0 for the last field, which has
    /// none.
    @usableFromInline let shortEnd: UInt16
    @usableFromInline let narrowEnd: UInt32

    @usableFromInline
    init(_ location: FieldLocation, _ shape: RecordShape) {
      presence = 1 << UInt64(location.presenceBit)
      null = location.nullBit == FieldLocation.noBit ? 0 : 1 << UInt64(location.nullBit)
      let isVariable = location.rawType >> 4 == 0
      let hasEnd = isVariable && Int(location.position) < shape.endCount
      position = location.position
      let end = shape.endsOffset + Int(location.position)
      shortEnd = hasEnd ? UInt16(truncatingIfNeeded: end) : 0
      narrowEnd = hasEnd ? UInt32(truncatingIfNeeded: end + Int(location.position)) : 0
    }
  }

  /// The layout values that are the same for every record, computed once.
  @usableFromInline
  struct Shape: Sendable {
    @usableFromInline let endsOffset: Int
    @usableFromInline let shortVariableOffset: Int
    @usableFromInline let narrowVariableOffset: Int
    /// The mask of the bitmap in the record's first eight bytes.
    @usableFromInline let bitmapMask: UInt64

    @usableFromInline
    init(_ shape: RecordShape) {
      endsOffset = shape.endsOffset
      shortVariableOffset = shape.variableOffset(.short)
      narrowVariableOffset = shape.variableOffset(.narrow)
      let bits = UInt64(shape.bitmapByteCount) * 8
      bitmapMask = bits < 64 ? 1 << bits - 1 : .max
    }
  }

  @inlinable @inline(__always)
  init(_ start: UnsafeMutableRawPointer, _ shape: Shape, isShort: Bool, atMost bound: Int) {
    self.start = start
    self.isShort = isShort
    variableStart = start + (isShort ? shape.shortVariableOffset : shape.narrowVariableOffset)
    limit = variableStart + bound
    cursor = variableStart
    // Absent fixed-width fields must be zero. Clears units of 16 bytes; the last may reach into
    // bytes that are written later.
    var offset = 0
    repeat {
      start.storeBytes(of: SIMD16<UInt8>(), toByteOffset: offset, as: SIMD16<UInt8>.self)
      offset &+= 16
    } while offset < shape.endsOffset
  }

  /// Sets a text field. ``padding`` readable bytes must follow the text.
  @inlinable @inline(__always)
  public mutating func setText(_ field: Field, padded text: RawSpan) {
    bits |= field.presence
    append(text)
    end(field)
  }

  /// Sets a text field, or leaves it out if neither flag is set, without a branch. The text must
  /// then be empty.
  @inlinable @inline(__always)
  public mutating func setText(
    _ field: Field, padded text: RawSpan, isPresent: Bool, isNull: Bool
  ) {
    bits |= (isPresent ? field.presence : 0) | (isNull ? field.null : 0)
    append(text)
    end(field)
  }

  /// Leaves a field out.
  @inlinable @inline(__always)
  public mutating func setAbsent(_ field: Field) { end(field) }

  /// Sets an explicit null; in a field that is not optional it equals absence.
  @inlinable @inline(__always)
  public mutating func setNull(_ field: Field) {
    bits |= field.null
    end(field)
  }

  /// Sets a list of one element, the most common length.
  @inlinable @inline(__always)
  public mutating func setList(_ field: Field, ofPadded text: RawSpan) {
    bits |= field.presence
    precondition(RecordEncoder.listOverhead(count: 1) <= limit - cursor, "a list is too long")
    storeOffset(1, at: cursor)
    if isShort { saved &+= 1 }
    cursor += isShort ? 1 : 2
    append(text)
    end(field)
  }

  /// Begins a list of `count` elements. Write them with ``appendElement(_:padded:isLast:)`` and
  /// close the list with ``endList(_:)``.
  @inlinable @inline(__always)
  public mutating func beginList(_ field: Field, count: Int) -> ListPosition {
    bits |= field.presence
    precondition(
      RecordEncoder.listOverhead(count: count) <= limit - cursor, "a list is longer than announced")
    let size = max(count, 1)
    let width = isShort ? 1 : 2
    storeOffset(count, at: cursor)
    if isShort { saved &+= size }
    let position = ListPosition(end: cursor + width, start: cursor + size * width)
    cursor += size * width
    return position
  }

  /// The address of a list's next end offset, and of its first element.
  public struct ListPosition {
    @usableFromInline var end: UnsafeMutableRawPointer
    @usableFromInline let start: UnsafeMutableRawPointer

    @inlinable @inline(__always)
    init(end: UnsafeMutableRawPointer, start: UnsafeMutableRawPointer) {
      self.end = end
      self.start = start
    }
  }

  /// Adds an element; the last one ends with its list.
  @inlinable @inline(__always)
  public mutating func appendElement(
    _ position: inout ListPosition, padded text: RawSpan, isLast: Bool
  ) {
    append(text)
    guard !isLast else { return }
    storeOffset(cursor - position.start, at: position.end)
    position.end += isShort ? 1 : 2
  }

  /// Closes the list begun last.
  @inlinable @inline(__always)
  public mutating func endList(_ field: Field) { end(field) }

  /// Sets a 64-bit field.
  @inlinable @inline(__always)
  public mutating func setWord(_ field: Field, _ value: UInt64) {
    bits |= field.presence
    (start + Int(field.position)).storeBytes(of: value.littleEndian, as: UInt64.self)
  }

  /// Sets a boolean field.
  @inlinable @inline(__always)
  public mutating func setBoolean(_ field: Field, _ value: Bool) {
    bits |= field.presence
    (start + Int(field.position)).storeBytes(of: value ? 1 : 0, as: UInt8.self)
  }

  /// Sets a UUID by its two halves; the first byte of the text is the most significant.
  @inlinable @inline(__always)
  public mutating func setUUID(_ field: Field, high: UInt64, low: UInt64) {
    bits |= field.presence
    (start + Int(field.position)).storeBytes(of: high.bigEndian, as: UInt64.self)
    (start + Int(field.position) + 8).storeBytes(of: low.bigEndian, as: UInt64.self)
  }

  /// The hash of a UUID that was set, as stored in an index.
  @inlinable @inline(__always)
  public func hashOfUUID(_ field: Field) -> UInt64 {
    Self.hashOfUUID(at: start + Int(field.position))
  }

  // A static function, because a method call would copy the record to memory.
  @usableFromInline
  static func hashOfUUID(at address: UnsafeMutableRawPointer) -> UInt64 {
    // The bytes belong to the encoder and stay valid while this record is written.
    KeyHash.hash(RawSpan(_unsafeStart: address, byteCount: 16))
  }

  @inlinable @inline(__always)
  mutating func end(_ field: Field) {
    let offset = isShort ? Int(field.shortEnd) : Int(field.narrowEnd)
    guard offset > 0 else { return }
    storeOffset(cursor - variableStart, at: start + offset)
  }

  /// Truncates an offset that does not fit; the record is then discarded.
  @inlinable @inline(__always)
  func storeOffset(_ value: Int, at address: UnsafeMutableRawPointer) {
    if isShort {
      address.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
    } else {
      address.storeBytes(of: UInt16(truncatingIfNeeded: value).littleEndian, as: UInt16.self)
    }
  }

  @inlinable @inline(__always)
  mutating func append(_ text: RawSpan) {
    let count = text.byteCount
    precondition(count <= limit - cursor, "a field is longer than announced")
    text.withUnsafeBytes { source in
      guard let base = source.baseAddress else { return }
      // Lengths vary around 32, so a branch there would be unpredictable.
      if count <= Self.padding {
        Self.copy32(base, to: cursor)
        Self.copy32(base + 32, to: cursor + 32)
      } else {
        cursor.copyMemory(from: base, byteCount: count)
      }
    }
    cursor += count
  }

  @inlinable @inline(__always)
  static func copy32(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    let low = source.loadUnaligned(as: SIMD16<UInt8>.self)
    let high = source.loadUnaligned(fromByteOffset: 16, as: SIMD16<UInt8>.self)
    target.storeBytes(of: low, as: SIMD16<UInt8>.self)
    target.storeBytes(of: high, toByteOffset: 16, as: SIMD16<UInt8>.self)
  }
}

@_spi(Ingest) extension RecordEncoder {
  /// The maximum bound for `beginNarrow`.
  @inlinable public static var maximumNarrowByteCount: Int { BlockFormat.maximumNarrowByteCount }

  /// The fields for `NarrowRecord`, in order; nil for a layout whose bitmap has more than 64 bits.
  public var narrowFields: [NarrowRecord.Field]? {
    guard shape.bitmapByteCount <= 8 else { return nil }
    return locations.map { NarrowRecord.Field($0, shape) }
  }

  /// Begins a record of at most `bound` variable bytes; a record in progress is dropped. Every
  /// field must then be set or left out, in the layout's order. ``expectsShort`` is the width to
  /// begin with.
  @inlinable @inline(__always)
  public mutating func beginNarrow(atMost bound: Int, isShort: Bool) -> NarrowRecord {
    precondition(bound >= 0 && bound <= narrowLimit, "a record of this size is not narrow")
    isOpen = false
    let start = finishedByteCount
    // No overflow: the buffer was allocated, and a record has at most about 64 KiB.
    let size = narrowShape.narrowVariableOffset &+ bound &+ NarrowRecord.padding
    store.reserve(start &+ size, keeping: start)
    return NarrowRecord(
      store.base + start, narrowShape, isShort: isShort, atMost: bound)
  }

  /// Ends a record. A record that is not ended has no effect.
  /// - Returns: false if its size needs another width than it was begun with. It must then be
  ///   written again.
  @inlinable @inline(__always)
  public mutating func endNarrow(_ record: consuming NarrowRecord, isShort: Bool, keyHash: UInt64)
    -> Bool
  {
    let variableByteCount = record.cursor - record.variableStart + record.saved
    isLastShort = variableByteCount <= BlockFormat.maximumShortByteCount
    guard isShort == isLastShort else { return false }
    // The bitmap's bytes, and the unchanged bytes after it.
    let mask = narrowShape.bitmapMask
    let old = UInt64(littleEndian: record.start.loadUnaligned(as: UInt64.self))
    let new = old & ~mask | record.bits & mask
    record.start.storeBytes(of: new.littleEndian, as: UInt64.self)
    append(Finished(end: record.cursor - store.base, keyHash: keyHash, isWide: false))
    return true
  }
}
