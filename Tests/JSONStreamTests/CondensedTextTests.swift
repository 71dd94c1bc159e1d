import CFeedScan
import TestSupport
import Testing

@testable @_spi(Records) import JSONStream

/// Text without the contents of strings, which YAJL reads in place of the records.
@Suite("Condensed text")
struct CondensedTextTests {
  private typealias Condensed = (text: [UInt8], strings: [Range<Int>])

  /// Parts of JSON and of malformed text.
  private static let pieces: [[UInt8]] = [
    "{", "}", "[", "]", ",", ":", "-1.5e3", "true", #""""#, #""key""#, #""a\n\"b\\""#, #""\u00e9""#,
    "\"long text\(String(repeating: ", long text", count: 9))\"", "\"é 😀\"", " ", "\n  ", "\t\r\n",
    "\n" + String(repeating: " ", count: 40), #"""#, #"\"#, "\"\u{1}\"", "\"\\\u{1}\"",
    "[" + String(repeating: "1,", count: 60) + "2]", "\u{1}",
  ].map { Array($0.utf8) }

  private static func text(using random: inout SeededGenerator) -> [UInt8] {
    let count = Int.random(in: 1...60, using: &random)
    return (0..<count).flatMap { _ in pieces.randomElement(using: &random) ?? [] }
  }

  /// Leaves out strings byte by byte, and the white space before them.
  private func model(of text: [UInt8]) -> Condensed {
    var result: Condensed = ([], [])
    var start = 0
    while start < text.count {
      guard text[start] == 0x22 else {
        result.text.append(text[start])
        start += 1
        continue
      }
      var end = start + 1
      var isPlain = true
      while end < text.count, text[end] != 0x22 {
        isPlain = isPlain && text[end] >= 0x20 && text[end] != 0x5C
        end += text[end] == 0x5C ? 2 : 1
      }
      if isPlain && end < text.count {
        removeWhiteSpace(&result.text)
        result.text += [0x22, 0x22]
        result.strings.append(start + 1..<end)
      } else {
        result.text += text[start..<min(end + 1, text.count)]
      }
      start = end + 1
    }
    return result
  }

  private func removeWhiteSpace(_ text: inout [UInt8]) {
    while let last = text.last, [0x20, 0x09, 0x0A, 0x0D].contains(last) { text.removeLast() }
  }

  /// Condenses a text in parts of at most `capacity` bytes.
  private func condensed(_ text: [UInt8], capacity: Int) -> (Condensed, partCount: Int) {
    var result: Condensed = ([], [])
    var partCount = 0
    withScannedText(text + [UInt8](repeating: 0x22, count: 64)) { scanned in
      var output = [UInt8](repeating: 0, count: capacity + Int(FEEDSCAN_CONDENSED_PADDING))
      var strings = [feedscan_string](repeating: feedscan_string(), count: 4)
      var from = 0
      while from < text.count {
        let part = feedscan_condense(
          scanned, from, text.count, &output, capacity, &strings, strings.count)
        #expect(part.end > from && part.end <= text.count)
        #expect(part.byte_count <= capacity && part.string_count <= strings.count)
        if part.byte_count > 0 {
          result.text += output[..<part.byte_count]
        } else {
          result.text += text[from..<part.end]
          // A string follows.
          if part.end < text.count { removeWhiteSpace(&result.text) }
        }
        for string in strings[..<part.string_count] {
          let offset = Int(string.offset)
          result.strings.append(offset..<offset + Int(string.length))
        }
        from = part.end
        partCount += 1
      }
    }
    return (result, partCount)
  }

  @Test("it has everything but strings without special bytes and the white space before them")
  func everyPart() {
    var random = SeededGenerator(seed: 35)
    var partCount = 0
    for _ in 0..<4_000 {
      let text = Self.text(using: &random)
      let expected = model(of: text)
      for capacity in [16, 40, 8 << 10] {
        let (found, parts) = condensed(text, capacity: capacity)
        #expect(found == expected, "\(String(decoding: text, as: UTF8.self))")
        partCount += parts
      }
    }
    #expect(partCount > 20_000, "most texts must have several parts")
  }

  @Test("text and strings of every length are separated at the ends of blocks")
  func lengths() {
    for length in 0..<200 {
      let run = String(repeating: "x", count: length)
      let spaces = String(repeating: " ", count: length)
      for text in [#"["\#(run)","\#(run)"]"#, "[\(spaces)\"\(run)\"\(spaces),\(spaces)\"\"]"] {
        let expected = model(of: Array(text.utf8))
        #expect(condensed(Array(text.utf8), capacity: 64).0 == expected)
      }
    }
  }
}
