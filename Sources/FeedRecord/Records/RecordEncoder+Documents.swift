/// The constants of documents, as published in `include/feedrecord.h`.
@usableFromInline
package enum SpanFormat {
  /// The offset and the length of a span whose text begins too far from the record's start, or is
  /// too long.
  @inlinable package static var far: Int { 0xFFFF }
  /// The maximum id of a span.
  package static var lastSpan: UInt16 { 0xFFFC }
  /// The ids of the texts that follow the spans.
  package static var member: UInt16 { 0xFFFD }
  package static var decoded: UInt16 { 0xFFFE }
  package static var record: UInt16 { 0xFFFF }
  /// The number of the kind in blocks.
  package static var schemaID: UInt32 { 64 }
}

// Records of documents. Their layout has fields of fixed width, a text for decoded bytes, a text for
// the member's key if records are members, and the JSON text.
@_spi(Ingest) extension RecordEncoder {
  /// The bytes after the bound of a JSON text that may be overwritten.
  @inlinable
  public static var writingSlack: Int { 64 }

  /// Begins the record of a document. ``appendJSON(_:)`` then writes its text in parts, and
  /// ``endJSON()`` ends that. The fields of fixed width are set after it.
  ///
  /// - Parameters:
  ///   - decoded: bytes to which spans refer and which are not part of the JSON text.
  ///   - member: the key of the member whose value the record is; empty if the layout has none.
  ///   - bound: the maximum number of bytes of the JSON text.
  @inlinable
  public mutating func beginDocument(decoded: RawSpan, member: RawSpan, bound: Int) {
    let before = decoded.byteCount + member.byteCount
    precondition(
      bound >= 0 && before <= Self.maximumVariableByteCount - bound,
      "a record of this size cannot be encoded")
    recordStart = byteCount
    endsStart = recordStart + shape.endsOffset
    // Until `endJSON()`, the text is at the position that the widest possible offsets require.
    width = OffsetWidth(variableByteCount: before + bound)
    variableStart = recordStart + shape.variableOffset(width)
    store.reserve(variableStart + before + bound + Self.writingSlack, keeping: recordStart)
    store.copy(decoded, to: variableStart)
    store.copy(member, to: variableStart + decoded.byteCount)
    cursor = variableStart + before
    limit = cursor + bound
    decodedByteCount = decoded.byteCount
    memberByteCount = member.byteCount
    elementsLeft = 0
    isOpen = true
  }

  /// The number of variable bytes of the record in progress.
  @inlinable
  public var documentByteCount: Int { cursor - variableStart }

  /// Appends a part of the JSON text.
  ///
  /// - Parameter write: writes the part to memory for the rest of the bound and
  ///   ``writingSlack``; returns the number of its bytes.
  @inlinable @inline(__always)
  public mutating func appendJSON(_ write: (UnsafeMutableRawPointer) -> Int) {
    precondition(isOpen && cursor <= limit)
    let count = write(store.base + cursor)
    precondition(count >= 0 && count <= limit - cursor, "a text is longer than announced")
    cursor += count
  }

  /// Appends a part of the JSON text, or all of it.
  @inlinable @inline(__always)
  public mutating func appendJSON(_ text: RawSpan) {
    precondition(isOpen && text.byteCount <= limit - cursor, "a text is longer than announced")
    store.copy(text, to: cursor)
    cursor += text.byteCount
  }

  /// Removes the JSON text of the record in progress. The caller writes it again.
  @inlinable
  public mutating func restartJSON() {
    precondition(isOpen)
    cursor = variableStart + decodedByteCount + memberByteCount
  }

  /// Ends the JSON text, which determines the width of the record's offsets.
  @inlinable
  public mutating func endJSON() {
    let variableByteCount = cursor - variableStart
    let written = variableStart
    width = OffsetWidth(variableByteCount: variableByteCount)
    variableStart = recordStart + shape.variableOffset(width)
    if variableStart != written {
      (store.base + variableStart).copyMemory(
        from: store.base + written, byteCount: variableByteCount)
    }
    store.clear(recordStart..<endsStart)
    cursor = variableStart
    lastSlot = -1
    bitmap = 0
    let firstText = locations.count - 1 - shape.endCount
    if decodedByteCount > 0 { openVariable(firstText, .text) }
    cursor += decodedByteCount
    if shape.endCount > 1 { openVariable(firstText + 1, .text) }
    cursor += memberByteCount
    openVariable(locations.count - 1, .json)
    cursor = variableStart + variableByteCount
    limit = cursor
  }

  /// Sets a span of the variable bytes. One that is out of reach is marked as far.
  @inlinable
  public mutating func setSpan(_ field: Int, offset: Int, count: Int) {
    guard offset < SpanFormat.far, count < SpanFormat.far else { return setFarSpan(field) }
    let target = openFixed(field, .span)
    store.store(UInt16(truncatingIfNeeded: offset), at: target)
    store.store(UInt16(truncatingIfNeeded: count), at: target + 2)
  }

  /// Marks a value to which no span can refer. The field is present, but only the text has its
  /// value.
  @inlinable
  public mutating func setFarSpan(_ field: Int) {
    let target = openFixed(field, .span)
    store.store(UInt16(truncatingIfNeeded: SpanFormat.far), at: target)
    store.store(UInt16(truncatingIfNeeded: SpanFormat.far), at: target + 2)
  }
}
