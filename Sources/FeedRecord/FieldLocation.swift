/// Where one field lies in every record of a layout: look it up once a scan, not once a record.
///
/// A location belongs to the layout or block it came from. In a record of another layout it gives
/// nil, an error or another field's bytes, but never reads outside.
public struct FieldLocation: Hashable, Sendable {
  /// Stands for the null bit of a field that has none. Bitmaps have at most 512 bits.
  @inlinable static var noBit: UInt16 { .max }

  @usableFromInline let rawType: UInt8
  @usableFromInline let presenceBit: UInt16
  @usableFromInline let nullBit: UInt16
  /// The number among the variable fields, or the byte offset of a fixed-width field.
  @usableFromInline let position: UInt16

  @inlinable
  init(rawType: UInt8, presenceBit: UInt16, nullBit: UInt16, position: UInt16) {
    self.rawType = rawType
    self.presenceBit = presenceBit
    self.nullBit = nullBit
    self.position = position
  }
}
