import JSONStream

/// Splits texts at commas.
package enum QuotedList {
  /// The paths between commas. A comma in double quotes belongs to a key.
  package static func paths(_ text: String) -> [String] {
    split(text, hasPaths: true).filter { !$0.isEmpty }
  }

  /// One text of paths, which ``paths(_:)`` splits again.
  package static func text(ofPaths paths: [String]) -> String {
    paths.map { path in
      guard path.utf8.contains(0x2C), let keys = try? PayloadSchema.path(ofText: path) else {
        return path
      }
      return keys.map(JSONText.quoted).joined(separator: ".")
    }.joined(separator: ",")
  }

  /// The parts between commas, without white space at their ends. A part that begins with a quote may
  /// have commas up to the quote that closes it.
  ///
  /// - Parameter hasPaths: whether the parts are paths in words. A quote after a dot then also
  ///   opens a quoted text, and a single quote is an ordinary character.
  static func split(_ text: String, hasPaths: Bool = false) -> [String] {
    var parts: [String] = []
    var part: [UInt8] = []
    /// The quote that closes the open text.
    var quote: UInt8?
    var isEscaped = false
    func isOpening(_ byte: UInt8) -> Bool {
      guard byte == 0x22 || byte == 0x27 && !hasPaths else { return false }
      // Two single quotes in single quotes are one.
      if byte == 0x27, part.last == 0x27, part.first(where: { !JSONCursor.isSpace($0) }) == 0x27 {
        return true
      }
      guard let last = part.last(where: { !JSONCursor.isSpace($0) }) else { return true }
      let isPointer = part.first { !JSONCursor.isSpace($0) } == 0x2F
      return hasPaths && !isPointer && last == 0x2E
    }
    for byte in text.utf8 {
      if byte == 0x2C, quote == nil {
        parts.append(ConditionReader.trimmed(String(decoding: part, as: UTF8.self)))
        part.removeAll(keepingCapacity: true)
        continue
      }
      if let open = quote {
        if byte == open, !isEscaped { quote = nil }
        isEscaped = open == 0x22 && byte == 0x5C && !isEscaped
      } else if isOpening(byte) {
        quote = byte
      }
      part.append(byte)
    }
    return parts + [ConditionReader.trimmed(String(decoding: part, as: UTF8.self))]
  }
}
