import LMDB

/// The keys of the store's tables: big-endian numbers, so that keys sort like the numbers.
enum StoreKey {
  typealias Number = InlineArray<8, UInt8>
  typealias Block = InlineArray<16, UInt8>
  typealias Index = InlineArray<21, UInt8>

  /// A generation's row, or the common start of all keys of a segment.
  static func number(_ number: UInt64) -> Number {
    Number { byte(number, $0) }
  }

  /// A generation's envelope: the key of its row and an additional byte.
  static func envelope(_ generation: UInt64) -> InlineArray<9, UInt8> {
    InlineArray { $0 < 8 ? byte(generation, $0) : 1 }
  }

  /// A generation's schema: the key of its row and `S`.
  static func schema(_ generation: UInt64) -> InlineArray<9, UInt8> {
    InlineArray { $0 < 8 ? byte(generation, $0) : 0x53 }
  }

  /// A block of records.
  static func block(segment: UInt64, ordinal: UInt64) -> Block {
    Block { $0 < 8 ? byte(segment, $0) : byte(ordinal, $0 - 8) }
  }

  /// A block of a finished index. Its first hash is in the upper half of eight bytes; older indexes
  /// had a 64-bit hash there.
  static func index(segment: UInt64, index: UInt8, hash: UInt32, number: UInt32) -> Index {
    Index { position in
      switch position {
      case 0..<8: byte(segment, position)
      case 8: index
      case 9..<17: byte(UInt64(hash) << 32, position - 9)
      default: byte(UInt64(number), position - 13)
      }
    }
  }

  /// A block of a run, which is merged into the index at the end.
  static func run(
    segment: UInt64, index: UInt8, run: UInt32, number: UInt32
  ) -> InlineArray<17, UInt8> {
    InlineArray { position in
      switch position {
      case 0..<8: byte(segment, position)
      case 8: StoreFormat.runMarker - index
      case 9..<13: byte(UInt64(run), position - 5)
      default: byte(UInt64(number), position - 9)
      }
    }
  }

  /// The index number in the key of an index block or a run's block.
  static func indexNumber(_ key: RawSpan) -> UInt8 {
    let byte = key.bigEndian(at: 8, as: UInt8.self) ?? 0
    return byte > StoreFormat.runMarker - 16 ? StoreFormat.runMarker - byte : byte
  }

  /// A byte of a number; position 0 is the most significant one.
  private static func byte(_ number: UInt64, _ position: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: number >> (8 * UInt64(7 - position)))
  }
}
