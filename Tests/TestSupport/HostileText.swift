/// Hostile texts for a known grammar: keywords in any order, with too many or too few separators,
/// and unrelated characters.
package enum HostileText {
  private static let separators = [
    "", "", " ", "\t", ",", ";", "=", "\"", "-", "/", ":", ".", "*", "%", "+", "&", "?", "q=", ",,",
  ]

  package static func made(
    of words: [String], using random: inout SeededGenerator
  ) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: text.unicodeScalars.append(scalar(using: &random))
      case 1...4: text += separators[Int.random(in: separators.indices, using: &random)]
      default: text += words[Int.random(in: words.indices, using: &random)]
      }
    }
    return text
  }

  private static func scalar(using random: inout SeededGenerator) -> Unicode.Scalar {
    let bound: UInt32 = Bool.random(using: &random) ? 0x100 : 0x11_0000
    return Unicode.Scalar(UInt32.random(in: 0..<bound, using: &random)) ?? "\u{FFFD}"
  }
}
