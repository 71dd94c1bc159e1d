/// A hash of a sequence of bytes (FNV-1a, mixed at the end).
struct Digest {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ byte: UInt8) {
    state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
  }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { add(byte) }
  }

  /// Hashes bytes that are compared as a whole, eight at a time.
  static func value(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    var digest = Digest()
    var start = 0
    while bytes.count - start >= 8 {
      digest.add(word: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
      start += 8
    }
    for byte in bytes[start...] { digest.add(byte) }
    return digest.value
  }

  /// Adds a number as one step.
  mutating func add(word: UInt64) {
    state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
    state ^= state >> 29
  }

  var value: UInt64 { state ^ state >> 32 }

  /// Adds a selected value: its field, type and text.
  mutating func add(_ field: SelectedField, _ kind: ScalarKind, _ text: some Sequence<UInt8>) {
    add(field.rawValue)
    add(kind.rawValue)
    add(text)
    // No text contains this byte, so it separates the values.
    add(0xFF)
  }
}

/// The values that the harness selects from each record.
enum SelectedField: UInt8 {
  case name, tags, authorID
}

/// The type of a selected value.
enum ScalarKind: UInt8 {
  case null, `true`, `false`, number, string
}
