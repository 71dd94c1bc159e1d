/// Writes JSON text (RFC 8259) in its shortest form: no white space, and escapes only where the
/// grammar demands them.
package enum JSONText {
  /// Appends a string in quotes. `bytes` must be UTF-8.
  package static func appendString(_ bytes: borrowing RawSpan, to output: inout [UInt8]) {
    output.append(0x22)
    for offset in bytes.byteOffsets {
      appendEscaped(bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self), to: &output)
    }
    output.append(0x22)
  }

  /// Appends a string in quotes.
  package static func appendString(_ text: String, to output: inout [UInt8]) {
    output.append(0x22)
    for byte in text.utf8 { appendEscaped(byte, to: &output) }
    output.append(0x22)
  }

  private static func appendEscaped(_ byte: UInt8, to output: inout [UInt8]) {
    switch byte {
    case 0x22, 0x5C:
      output.append(0x5C)
      output.append(byte)
    case 0x08: output.append(contentsOf: [0x5C, 0x62])
    case 0x09: output.append(contentsOf: [0x5C, 0x74])
    case 0x0A: output.append(contentsOf: [0x5C, 0x6E])
    case 0x0C: output.append(contentsOf: [0x5C, 0x66])
    case 0x0D: output.append(contentsOf: [0x5C, 0x72])
    case 0..<0x20:
      output.append(contentsOf: [0x5C, 0x75, 0x30, 0x30, 0x30 + (byte >> 4)])
      let low = byte & 0xF
      output.append(low < 10 ? 0x30 + low : 0x61 + low - 10)
    default: output.append(byte)
    }
  }
}
