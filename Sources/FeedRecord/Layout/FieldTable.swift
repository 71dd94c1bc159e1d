/// The field table of a block's header: four bytes per field (id, type, flags).
///
/// The loads below are in bounds: `init` receives whole entries, and every index is below `count`.
@usableFromInline
struct FieldTable: ~Escapable {
  @usableFromInline let bytes: RawSpan

  /// - Parameter bytes: a multiple of four bytes.
  @inlinable @_lifetime(copy bytes)
  init(_ bytes: RawSpan) {
    self.bytes = bytes
  }

  @inlinable
  var count: Int { bytes.byteCount >> 2 }

  @inlinable
  func id(at index: Int) -> UInt16 {
    bytes.loadInteger((index << 2) + BlockFormat.FieldEntry.id, as: UInt16.self)
  }

  @inlinable
  func rawType(at index: Int) -> UInt8 {
    bytes.loadInteger((index << 2) + BlockFormat.FieldEntry.type, as: UInt8.self)
  }

  @inlinable
  func flags(at index: Int) -> UInt8 {
    bytes.loadInteger((index << 2) + BlockFormat.FieldEntry.flags, as: UInt8.self)
  }

  @inlinable
  func isOptional(at index: Int) -> Bool { flags(at: index) & BlockFormat.optionalField != 0 }

  /// The sizes of the records it describes.
  /// - Throws: `damaged` for a width class or a flag that the format does not have.
  @inlinable
  func shape() throws(RecordError) -> RecordShape {
    var shape = RecordShape()
    for index in 0..<count {
      guard let width = FieldWidth.of(rawType: rawType(at: index)),
        flags(at: index) & ~BlockFormat.optionalField == 0
      else {
        throw RecordError(.damaged, "a block's field table has an unknown width or flag")
      }
      shape.add(width: width, isOptional: isOptional(at: index))
    }
    return shape
  }

  /// The location of the first field with this id; `shape` must be the one of this table. The cost
  /// grows with the number of fields before it.
  @inlinable
  func location(of id: UInt16, shape: RecordShape) -> FieldLocation? {
    var before = RecordShape()
    for index in 0..<count {
      let type = rawType(at: index)
      if self.id(at: index) == id {
        return before.nextLocation(
          rawType: type, isOptional: isOptional(at: index), presenceBitCount: shape.fieldCount,
          bitmapByteCount: shape.bitmapByteCount)
      }
      before.add(
        width: FieldWidth.of(rawType: type) ?? 0, isOptional: isOptional(at: index))
    }
    return nil
  }
}
