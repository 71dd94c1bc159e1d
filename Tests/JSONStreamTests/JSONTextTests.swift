import Foundation
import JSONStream
import Testing

@Suite("A string as JSON text") struct JSONTextTests {
  @Test("exactly the bytes that the grammar forbids are escaped, at every offset")
  func escapes() throws {
    for byte in UInt8(0)..<0x80 {
      for length in 1...40 {
        for offset in 0..<length {
          var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
          bytes[offset] = byte
          let text = Self.text(bytes)
          let isEscaped = byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
          try #require((text.count > length + 2) == isEscaped)
          guard isEscaped else {
            try #require(text == [0x22] + bytes + [0x22])
            continue
          }
          let options = JSONSerialization.ReadingOptions.fragmentsAllowed
          let read = try JSONSerialization.jsonObject(with: Data(text), options: options)
          try #require(read as? String == String(decoding: bytes, as: UTF8.self))
        }
      }
    }
  }

  @Test("consecutive escapes and multi-byte characters between them are preserved")
  func mixed() throws {
    let parts = ["\"", "\\", "\n", "\u{1}", "a", "é", "€", "😀", "\u{7F}", "\u{80}", "abcdefgh"]
    for seed in 0..<2_000 {
      let string = (0..<12).map { parts[(seed &* 31 &+ $0 &* ($0 &+ seed)) % parts.count] }.joined()
      let text = Self.text(Array(string.utf8))
      let options = JSONSerialization.ReadingOptions.fragmentsAllowed
      let read = try JSONSerialization.jsonObject(with: Data(text), options: options)
      try #require(read as? String == string)
    }
  }

  private static func text(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    JSONText.appendString(bytes.span.bytes, to: &text)
    return text
  }
}
