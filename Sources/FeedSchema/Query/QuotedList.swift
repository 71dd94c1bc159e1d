import JSONStream

/// Splits texts at commas.
enum QuotedList {
  /// The parts between commas, without white space at their ends. A part that begins with a quote may
  /// have commas up to the quote that closes it.
  ///
  /// - Parameter opensAfterDot: whether a quote after a dot does the same, as in a path in words
  static func split(_ text: String, opensAfterDot: Bool = false) -> [String] {
    var parts: [String] = []
    var part: [UInt8] = []
    var isQuoted = false
    var isEscaped = false
    func isOpening() -> Bool {
      guard let last = part.last(where: { !JSONCursor.isSpace($0) }) else { return true }
      let isPointer = part.first { !JSONCursor.isSpace($0) } == 0x2F
      return opensAfterDot && !isPointer && last == 0x2E
    }
    for byte in text.utf8 {
      if byte == 0x2C, !isQuoted {
        parts.append(ConditionReader.trimmed(String(decoding: part, as: UTF8.self)))
        part.removeAll(keepingCapacity: true)
        continue
      }
      if isQuoted {
        if byte == 0x22, !isEscaped { isQuoted = false }
        isEscaped = byte == 0x5C && !isEscaped
      } else if byte == 0x22 {
        isQuoted = isOpening()
      }
      part.append(byte)
    }
    return parts + [ConditionReader.trimmed(String(decoding: part, as: UTF8.self))]
  }
}
