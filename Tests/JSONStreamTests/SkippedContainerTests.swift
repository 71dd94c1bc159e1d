import CFeedScan
import TestSupport
import Testing

@Suite("Containers that are skipped")
struct SkippedContainerTests {
  private static let kernels: [feedscan_kernel] = [
    FEEDSCAN_SCALAR, FEEDSCAN_AVX2, FEEDSCAN_AVX512, FEEDSCAN_NEON,
  ].filter(feedscan_has_kernel)

  private static let scalars = [
    "1", "true", #""""#, #""]}""#, #""\"]""#, #""\\""#, #""a\\\"}""#,
    "\"" + String(repeating: "x", count: 61) + "\"",
    "\"" + String(repeating: #"\\"#, count: 33) + "\"", #""é{""#,
  ]

  private static func value(_ depth: Int, _ random: inout SeededGenerator) -> String {
    guard depth < 5, Int.random(in: 0..<3, using: &random) > 0 else {
      return scalars.randomElement(using: &random) ?? ""
    }
    let values = (0..<Int.random(in: 0..<5, using: &random)).map { _ in value(depth + 1, &random) }
    return Bool.random(using: &random)
      ? "[" + values.joined(separator: ", ") + "]"
      : "{" + values.map { #""k}": \#($0)"# }.joined(separator: ",") + "}"
  }

  @Test("end after their closing bracket, whatever surrounds them", arguments: kernels)
  func ends(_ kernel: feedscan_kernel) {
    var random = SeededGenerator(seed: 34)
    for length in 0..<600 {
      let before = Array(repeating: UInt8(ascii: "]"), count: length % 67)
      let container = Array("[\(Self.value(0, &random))]".utf8)
      let text = before + container + Array(#"]}"\"#.utf8)
      let end = feedscan_skip(text, before.count, text.count, kernel)
      #expect(end == before.count + container.count)
    }
  }

  @Test("have no end if the text ends before their closing bracket", arguments: kernels)
  func cut(_ kernel: feedscan_kernel) {
    var random = SeededGenerator(seed: 35)
    for _ in 0..<40 {
      let text = Array("[\(Self.value(0, &random))]".utf8)
      for count in 1..<text.count {
        // The array ends here, so a sanitizer detects a read after its end.
        let cut = Array(text[..<count])
        #expect(feedscan_skip(cut, 0, count, kernel) == count + 1)
      }
    }
  }
}
