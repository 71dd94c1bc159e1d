import CFeedScan
import TestSupport
import Testing

@testable @_spi(Records) import JSONStream

@Suite("JSON without white space outside strings")
struct CompactTextTests {
  private static let kernels: [feedscan_kernel] = [
    FEEDSCAN_SCALAR, FEEDSCAN_AVX2, FEEDSCAN_AVX512, FEEDSCAN_NEON,
  ].filter(feedscan_has_kernel)

  private func compact(_ text: [UInt8], _ kernel: feedscan_kernel) -> [UInt8] {
    // The kernel may read and write 64 bytes more, whose contents do not matter.
    let padded = text + Array(repeating: 0x22, count: 64)
    return [UInt8](unsafeUninitializedCapacity: text.count + 64) { output, count in
      count = feedscan_strip(padded, text.count, output.baseAddress, kernel)
    }
  }

  /// Built of pieces, so that the compact text is known without reading the text.
  private func piece(_ random: inout SeededGenerator) -> (text: String, compact: String) {
    let spaces = [" ", "\n", "\r\n", "\t", "", "    ", String(repeating: " ", count: 70)]
    if Bool.random(using: &random) {
      return (spaces.randomElement(using: &random) ?? "", "")
    }
    let tokens = [
      "{", "}", "[", "]", ",", ":", "1.50e3", "true", "null", #""""#, #"" a\tb ""#, #""\\""#,
      #""\"  \"""#, #""\\\" x""#, "\"\u{e9} \u{1f600}\"",
      "\"" + String(repeating: "long text  ", count: 9) + "\"",
      "\"" + String(repeating: #"\\"#, count: 40) + " \"",
    ]
    let token = tokens.randomElement(using: &random) ?? ""
    return (token, token)
  }

  @Test("every kernel removes exactly the white space between tokens", arguments: kernels)
  func everyKernel(_ kernel: feedscan_kernel) {
    var random = SeededGenerator(seed: 33)
    for length in 0..<400 {
      var (text, expected) = ("", "")
      for _ in 0..<length % 120 {
        let piece = piece(&random)
        text += piece.text
        expected += piece.compact
      }
      #expect(compact(Array(text.utf8), kernel) == Array(expected.utf8))
    }
  }

  @Test("a text that is copied in parts is the same, wherever it is cut")
  func parts() {
    let text = Array(#"{ "a b" : "\" \\" , "c" : [ 1 , "  " ] }"#.utf8)
    let expected = compact(text, FEEDSCAN_SCALAR)
    for cut in 0...text.count {
      var state = feedscan_strip_state(in_string: false, escaped: false)
      var output: [UInt8] = []
      for part in [text[..<cut], text[cut...]] {
        output += [UInt8](unsafeUninitializedCapacity: part.count) { bytes, count in
          count = Array(part).withUnsafeBufferPointer {
            feedscan_strip_rest(&state, $0.baseAddress, $0.count, bytes.baseAddress)
          }
        }
      }
      #expect(output == expected)
    }
  }
}
