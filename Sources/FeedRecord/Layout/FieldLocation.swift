/// The location of one field in every record of a layout. Look it up once per scan, not per record.
///
/// A location belongs to the layout or block it came from. In a record of another layout it gives
/// nil, an error or the bytes of another field, but never reads out of bounds.
public struct FieldLocation: Hashable, Sendable {
  /// The null bit of a field without one. Bitmaps have at most 512 bits.
  @inlinable static var noBit: UInt16 { .max }

  @usableFromInline let rawType: UInt8
  @usableFromInline let presenceBit: UInt16
  @usableFromInline let nullBit: UInt16
  /// The index among the variable fields, or the byte offset of a fixed-width field.
  @usableFromInline let position: UInt16

  @inlinable
  init(rawType: UInt8, presenceBit: UInt16, nullBit: UInt16, position: UInt16) {
    self.rawType = rawType
    self.presenceBit = presenceBit
    self.nullBit = nullBit
    self.position = position
  }
}
