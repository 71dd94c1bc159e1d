/// One field of a record layout.
public struct RecordField: Hashable, Sendable {
  /// The number by which readers in every language find the field. An id is never reused for
  /// another field.
  public let id: UInt16
  /// The type of the value.
  public let type: FieldType
  /// Whether the record distinguishes an explicit null from an absent field.
  public let isOptional: Bool

  /// Creates a field.
  public init(id: UInt16, type: FieldType, isOptional: Bool = false) {
    self.id = id
    self.type = type
    self.isOptional = isOptional
  }
}

/// The type of a record's field, as stored in a block's field table.
///
/// The high nibble of the raw value is the width class, so that a reader can skip an unknown type:
/// 0x0 variable, 0x1 one byte, 0x4 four bytes, 0x8 eight bytes, 0xF sixteen bytes.
public enum FieldType: UInt8, Sendable, Hashable {
  /// UTF-8 bytes.
  case text = 0x01
  /// A list of UTF-8 texts.
  case textList = 0x02
  /// One JSON value without white space between its tokens. Always the last field of a record.
  case json = 0x03
  /// One byte, 0 or 1.
  case boolean = 0x11
  /// The offset and the length, of 16 bits each, of a text in the record's variable bytes.
  case span = 0x41
  /// A signed 64-bit integer.
  case integer = 0x81
  /// The bits of a `Double`.
  case number = 0x82
  /// The bits of a `Double`: seconds since 2001-01-01T00:00:00Z.
  case date = 0x83
  /// The 16 bytes of a UUID in the order of its text.
  case uuid = 0xF1
}

/// The size of a field in the fixed part of a record.
@usableFromInline
enum FieldWidth {
  /// The width of a raw type byte: 0 if it is variable, nil if the class does not exist.
  @inlinable
  static func of(rawType: UInt8) -> Int? {
    switch rawType >> 4 {
    case 0x0: 0
    case 0x1: 1
    case 0x4: 4
    case 0x8: 8
    case 0xF: 16
    default: nil
    }
  }
}

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
