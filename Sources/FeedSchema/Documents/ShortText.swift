/// A text of at most 16 bytes, compared as two words: its length, and its first and last bytes, which
/// may overlap.
struct ShortText: Equatable {
  private var count = -1
  private var start: UInt64 = 0
  private var end: UInt64 = 0

  /// Equal to no text.
  init() {}

  /// Nil if the text is longer.
  @inline(__always)
  init?(_ text: UnsafeRawBufferPointer) {
    count = text.count
    // Every load is inside the text.
    switch count {
    case 8...16:
      start = text.loadUnaligned(as: UInt64.self)
      end = text.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    case 4..<8:
      start = UInt64(text.loadUnaligned(as: UInt32.self))
      end = UInt64(text.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    case 1..<4:
      start = UInt64(text[0]) << 8 | UInt64(text[count / 2])
      end = UInt64(text[count - 1])
    case 0: break
    default: return nil
    }
  }

  @inline(__always)
  static func == (left: ShortText, right: ShortText) -> Bool {
    left.count == right.count && (left.start ^ right.start) | (left.end ^ right.end) == 0
  }
}
