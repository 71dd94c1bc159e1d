extension JSONPath {
  /// The steps of a JSON Pointer (RFC 6901): nothing, or tokens that each follow a slash.
  static func pointer(_ text: String) throws(Fault) -> [Step] {
    if text.isEmpty { return [] }
    guard text.utf8.first == UInt8(ascii: "/") else {
      throw Fault(
        reason: "a JSON Pointer begins with a slash, as in /data/items", text: text, byteOffset: 0)
    }
    var steps: [Step] = []
    var offset = 1
    for token in text.parts(separatedBy: "/", omittingEmpty: false).dropFirst() {
      try checkTildes(token, text, offset)
      offset += token.utf8.count + 1
      steps.append(.token(Array(token.jsonPointerUnescaped.utf8), index: index(token.utf8)))
    }
    return steps
  }

  /// Throws if a tilde is not the first half of `~0` or `~1` (RFC 6901, section 3).
  private static func checkTildes(
    _ token: String, _ text: String, _ offset: Int
  ) throws(Fault) {
    let bytes = Array(token.utf8)
    for place in bytes.indices where bytes[place] == 0x7E {
      guard place + 1 < bytes.count, bytes[place + 1] == 0x30 || bytes[place + 1] == 0x31 else {
        throw Fault(
          reason: "a tilde is written ~0 in a JSON Pointer, and a slash in a key ~1", text: text,
          byteOffset: offset + place)
      }
    }
  }

  /// The index that digits denote. Nil for other text, for a leading 0, and for more than 18
  /// digits: no array has that many elements, and a pattern can state the maximum length.
  private static func index(_ digits: some Collection<UInt8>) -> Int? {
    guard let first = digits.first, first != 0x30 || digits.count == 1, digits.count <= 18,
      digits.allSatisfy({ 0x30...0x39 ~= $0 })
    else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  /// The steps of a path in words.
  static func words(_ text: String) throws(Fault) -> [Step] {
    var reader = WordReader(text)
    return try reader.steps()
  }

  /// Reads a path in words: keys that are joined by dots, each with any number of indexes.
  private struct WordReader {
    private let text: String
    private let bytes: [UInt8]
    private var offset = 0

    init(_ text: String) {
      self.text = text
      bytes = Array(text.utf8)
    }

    mutating func steps() throws(Fault) -> [Step] {
      var steps: [Step] = []
      var needsKey = bytes.first != 0x5B
      while offset < bytes.count || needsKey && !steps.isEmpty {
        if needsKey {
          steps.append(.member(try key()))
          needsKey = false
        } else if bytes[offset] == 0x5B {
          steps.append(try element())
        } else if bytes[offset] == 0x2E {
          offset += 1
          needsKey = true
        } else {
          throw fault("a dot or an index follows here, as in a.b or a[0]")
        }
      }
      return steps
    }

    private func fault(_ reason: String, at offset: Int? = nil) -> Fault {
      Fault(reason: reason, text: text, byteOffset: offset ?? self.offset)
    }

    private mutating func key() throws(Fault) -> [UInt8] {
      if offset < bytes.count, bytes[offset] == 0x22 { return try quotedKey() }
      let start = offset
      while offset < bytes.count, ![0x2E, 0x5B, 0x5D, 0x22].contains(bytes[offset]) { offset += 1 }
      guard offset > start else {
        throw fault(#"a key is missing here; the empty key is written "", and any key in quotes"#)
      }
      return Array(bytes[start..<offset])
    }

    private mutating func quotedKey() throws(Fault) -> [UInt8] {
      let start = offset
      let bytes = bytes
      let span = bytes.span.bytes
      var cursor = JSONCursor(span, at: offset)
      guard let key = cursor.nextString() else {
        throw fault("the quote that opens here is not closed", at: start)
      }
      offset = cursor.position
      return key.decoded(in: span)
    }

    private mutating func element() throws(Fault) -> Step {
      let start = offset
      guard let close = bytes[start...].firstIndex(of: 0x5D) else {
        throw fault("the bracket that opens here is not closed")
      }
      offset = close + 1
      let digits = bytes[(start + 1)..<close]
      if digits.isEmpty { return .anyElement }
      guard let index = JSONPath.index(digits) else {
        throw fault("an index is a whole number from 0, as in [0]", at: start + 1)
      }
      return .element(index)
    }
  }
}

// By bytes: a combining mark after a slash or a tilde would belong to the same character.
extension String {
  /// The text as a reference token of a JSON Pointer (RFC 6901, section 3).
  package var jsonPointerEscaped: String {
    guard utf8.contains(where: { $0 == 0x7E || $0 == 0x2F }) else { return self }
    var bytes: [UInt8] = []
    for byte in utf8 {
      switch byte {
      case 0x7E: bytes += [0x7E, 0x30]
      case 0x2F: bytes += [0x7E, 0x31]
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The key of a reference token of a JSON Pointer.
  package var jsonPointerUnescaped: String {
    var bytes: [UInt8] = []
    var isAfterTilde = false
    for byte in utf8 {
      if isAfterTilde, byte == 0x30 || byte == 0x31 {
        bytes[bytes.count - 1] = byte == 0x30 ? 0x7E : 0x2F
        isAfterTilde = false
      } else {
        bytes.append(byte)
        isAfterTilde = byte == 0x7E
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
