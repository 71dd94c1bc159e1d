/// The type of a record's field, as stored in a block's field table.
///
/// The high nibble of the raw value is the width class, so that a reader can skip an unknown type:
/// 0x0 variable, 0x1 one byte, 0x8 eight bytes, 0xF sixteen bytes.
public enum FieldType: UInt8, Sendable, Hashable {
  /// UTF-8 bytes.
  case text = 0x01
  /// A list of UTF-8 texts.
  case textList = 0x02
  /// One byte, 0 or 1.
  case boolean = 0x11
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
    case 0x8: 8
    case 0xF: 16
    default: nil
    }
  }
}
