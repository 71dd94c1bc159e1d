// The setters of a record's fields. `field` is the index in the layout. A field of another type, or
// one set out of order, is a bug of the caller and traps.
@_spi(Ingest) extension RecordEncoder {
  /// Sets a text field; the bytes are UTF-8.
  @inlinable
  public mutating func setText(_ field: Int, _ bytes: RawSpan) {
    openVariable(field, .text)
    append(bytes)
  }

  /// Begins a list; `count` elements follow.
  @inlinable
  public mutating func beginList(_ field: Int, count: Int) {
    openVariable(field, .textList)
    let overhead = max(count, 1) << width.shift
    // The caller announces lists with narrow offsets. `begin` has reserved the space for wide ones.
    limit += overhead - Self.listOverhead(count: count)
    precondition(
      count >= 0 && overhead <= limit - cursor, "a list is longer than announced")
    writeOffset(count, at: cursor)
    elementsLeft = count
    elementEnd = cursor + 1 << width.shift
    elementsStart = cursor + overhead
    cursor = elementsStart
  }

  /// Adds the next element of the current list; the bytes are UTF-8.
  @inlinable
  public mutating func appendElement(_ bytes: RawSpan) {
    precondition(elementsLeft > 0, "a list has more elements than announced")
    append(bytes)
    elementsLeft -= 1
    // The last element ends with the list.
    if elementsLeft > 0 {
      writeOffset(cursor - elementsStart, at: elementEnd)
      elementEnd += 1 << width.shift
    }
  }

  /// Sets a signed 64-bit field.
  @inlinable
  public mutating func setInteger(_ field: Int, _ value: Int64) {
    store.store(value, at: openFixed(field, .integer))
  }

  /// Sets a floating-point field, stored bit for bit.
  @inlinable
  public mutating func setNumber(_ field: Int, _ value: Double) {
    store.store(value.bitPattern, at: openFixed(field, .number))
  }

  /// Sets a 64-bit field of any type.
  @inlinable
  public mutating func setWord(_ field: Int, _ word: UInt64) {
    let location = locations[field]
    precondition(isOpen && location.rawType >> 4 == 0x8, "a field has another width")
    set(location.presenceBit)
    store.store(word, at: recordStart + Int(location.position))
  }

  /// - Parameter referenceSeconds: seconds since 2001-01-01T00:00:00Z, stored bit for bit.
  @inlinable
  public mutating func setDate(_ field: Int, referenceSeconds: Double) {
    store.store(referenceSeconds.bitPattern, at: openFixed(field, .date))
  }

  /// Sets a boolean field.
  @inlinable
  public mutating func setBoolean(_ field: Int, _ value: Bool) {
    store.store(value ? 1 : 0 as UInt8, at: openFixed(field, .boolean))
  }

  /// - Parameters:
  ///   - high: the first eight bytes of the UUID in text order, most significant first.
  ///   - low: the last eight bytes.
  @inlinable
  public mutating func setUUID(_ field: Int, high: UInt64, low: UInt64) {
    let offset = openFixed(field, .uuid)
    store.store(high.byteSwapped, at: offset)
    store.store(low.byteSwapped, at: offset + 8)
  }

  /// Sets an explicit null; in a field that is not optional it equals absence.
  @inlinable
  public mutating func setNull(_ field: Int) {
    precondition(isOpen, "no record was begun")
    let location = locations[field]
    if location.nullBit != FieldLocation.noBit {
      set(location.nullBit)
    }
  }

  /// Sets a bit of the record's bitmap.
  @inlinable @inline(__always)
  mutating func set(_ bit: UInt16) {
    if bit < 64 {
      bitmap |= 1 << UInt64(bit)
    } else {
      store.setBit(bit, ofBitmapAt: recordStart)
    }
  }

  /// Marks a fixed-width field as present and returns the offset of its value.
  @inlinable @inline(__always)
  mutating func openFixed(_ field: Int, _ type: FieldType) -> Int {
    let location = locations[field]
    precondition(isOpen && location.rawType == type.rawValue, "a field has another type")
    set(location.presenceBit)
    return recordStart + Int(location.position)
  }

  /// Marks a variable field as present, and ends the fields before it at the current position.
  @inlinable @inline(__always)
  mutating func openVariable(_ field: Int, _ type: FieldType) {
    let location = locations[field]
    let slot = Int(location.position)
    precondition(isOpen && location.rawType == type.rawValue, "a field has another type")
    precondition(slot > lastSlot && elementsLeft == 0, "fields or elements are out of order")
    set(location.presenceBit)
    writeEnds(upTo: slot)
    lastSlot = slot
  }

  /// Writes the missing end offsets of all slots below `slot`.
  @inlinable @inline(__always)
  mutating func writeEnds(upTo slot: Int) {
    var open = max(lastSlot, 0)
    while open < slot {
      writeOffset(cursor - variableStart, at: endsStart + (open << width.shift))
      open += 1
    }
  }

  /// An offset fits: a short record has at most 255 variable bytes, a narrow one 65 535 and a wide
  /// one 2 GiB, and nothing is appended beyond the announced limit.
  @inlinable @inline(__always)
  mutating func writeOffset(_ value: Int, at offset: Int) {
    switch width {
    case .short: store.store(UInt8(truncatingIfNeeded: value), at: offset)
    case .narrow: store.store(UInt16(truncatingIfNeeded: value), at: offset)
    case .wide: store.store(UInt32(truncatingIfNeeded: value), at: offset)
    }
  }

  @inlinable @inline(__always)
  mutating func append(_ bytes: RawSpan) {
    precondition(bytes.byteCount <= limit - cursor, "a field is longer than announced")
    store.copy(bytes, to: cursor)
    cursor += bytes.byteCount
  }
}
