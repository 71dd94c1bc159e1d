/// A list of texts in a record: its count, the end offsets of all elements but the last, and the
/// bytes of the elements.
public struct TextListView: ~Escapable {
  @usableFromInline let bytes: RawSpan
  @usableFromInline let width: OffsetWidth
  /// The number of elements.
  public let count: Int
  /// The start of the elements' bytes; not beyond the end of `bytes`.
  @usableFromInline let elementsStart: Int

  /// - Throws: `damaged` if the count does not match the size.
  @inlinable @_lifetime(copy bytes)
  init(_ bytes: RawSpan, _ width: OffsetWidth) throws(RecordError) {
    let shift = width.shift
    guard bytes.byteCount >= 1 << shift else { throw RecordView.damaged }
    let count = bytes.loadOffset(0, from: 0, width)
    // The count and the end offsets, one fewer, have the same width. Together they are one array of
    // `count` entries; an empty list is its count alone. At most 4 * (2^32 - 1): no overflow.
    let elementsStart = max(count, 1) << shift
    guard elementsStart <= bytes.byteCount && (count > 0 || bytes.byteCount == 1 << shift) else {
      throw RecordView.damaged
    }
    self.bytes = bytes
    self.width = width
    self.count = count
    self.elementsStart = elementsStart
  }

  /// The bytes of an element, without copying or UTF-8 validation.
  /// - Throws: `outOfRange`, or `damaged` if its bounds are inconsistent.
  @inlinable @_lifetime(copy self)
  public func rawElement(at index: Int) throws(RecordError) -> RawSpan {
    guard index >= 0 && index < count else {
      throw RecordError(.outOfRange, "a list has no element of this index")
    }
    let areaByteCount = bytes.byteCount - elementsStart
    // The end of element i follows the count and i other ends.
    let start = index > 0 ? bytes.loadOffset(index, from: 0, width) : 0
    let end =
      index + 1 < count
      ? bytes.loadOffset(index + 1, from: 0, width) : areaByteCount
    guard start <= end && end <= areaByteCount else { throw RecordView.damaged }
    return bytes.extracting(elementsStart + start..<elementsStart + end)
  }

  /// An element, validated as UTF-8 and copied.
  @inlinable
  public func element(at index: Int) throws(RecordError) -> String {
    try rawElement(at: index).validatedText()
  }
}
