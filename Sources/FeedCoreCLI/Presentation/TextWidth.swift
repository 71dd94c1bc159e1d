/// The number of terminal columns that a text occupies.
///
/// An approximation of Unicode's East Asian Width (UAX 11): wide characters and emoji occupy two
/// columns, combining marks none.
enum TextWidth {
  static func of(_ text: String) -> Int {
    text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + of($1) }
  }

  static func of(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return isWide(first) ? 2 : 1
    }
  }

  /// The text truncated to this number of columns, with an ellipsis in the last one if it is
  /// longer.
  static func cut(_ text: String, to columns: Int) -> String {
    guard of(text) > columns else { return text }
    var result = ""
    var width = 0
    for character in text {
      width += of(character)
      guard width < columns else { break }
      result.append(character)
    }
    return columns > 0 ? result + "…" : ""
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F1E6...0x1F1FF, 0x1F300...0x1F64F,
      0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
