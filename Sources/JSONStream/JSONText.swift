/// Writes JSON text (RFC 8259) in its shortest form: no white space, and only required escapes.
package enum JSONText {
  /// Appends a string in quotes. `bytes` must be UTF-8.
  package static func appendString(_ bytes: borrowing RawSpan, to output: inout [UInt8]) {
    output.append(0x22)
    bytes.withUnsafeBytes { bytes in appendEscaped(bytes, to: &output) }
    output.append(0x22)
  }

  /// A string in quotes.
  package static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    appendString(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends a string in quotes.
  package static func appendString(_ text: String, to output: inout [UInt8]) {
    output.append(0x22)
    var text = text
    text.withUTF8 { bytes in appendEscaped(UnsafeRawBufferPointer(bytes), to: &output) }
    output.append(0x22)
  }

  /// Copies the text between two bytes that need an escape unchanged. Its pointers are slices of
  /// `bytes`, valid during the call.
  private static func appendEscaped(
    _ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]
  ) {
    var start = 0
    while let offset = firstEscaped(in: bytes, from: start) {
      output.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<offset]))
      appendEscape(of: bytes[offset], to: &output)
      start = offset + 1
    }
    output.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start...]))
  }

  private static func firstEscaped(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var offset = start
    // In bounds, as eight bytes are left.
    while bytes.count - offset >= 8,
      !hasEscaped(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    {
      offset += 8
    }
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte < 0x20 || byte == 0x22 || byte == 0x5C { return offset }
      offset += 1
    }
    return nil
  }

  /// True if one of eight bytes needs an escape. Subtracting 1 from a zero byte, or 32 from a byte
  /// below 32, sets the highest bit.
  private static func hasEscaped(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let (quotes, backslashes) = (word ^ (0x22 * ones), word ^ (0x5C * ones))
    let found =
      (word &- 0x20 * ones) & ~word | (quotes &- ones) & ~quotes
      | (backslashes &- ones) & ~backslashes
    return found & (0x80 * ones) != 0
  }

  private static func appendEscape(of byte: UInt8, to output: inout [UInt8]) {
    switch byte {
    case 0x22, 0x5C:
      output.append(0x5C)
      output.append(byte)
    case 0x08: output.append(contentsOf: [0x5C, 0x62])
    case 0x09: output.append(contentsOf: [0x5C, 0x74])
    case 0x0A: output.append(contentsOf: [0x5C, 0x6E])
    case 0x0C: output.append(contentsOf: [0x5C, 0x66])
    case 0x0D: output.append(contentsOf: [0x5C, 0x72])
    default:
      output.append(contentsOf: [0x5C, 0x75, 0x30, 0x30, 0x30 + (byte >> 4)])
      let low = byte & 0xF
      output.append(low < 10 ? 0x30 + low : 0x61 + low - 10)
    }
  }
}
