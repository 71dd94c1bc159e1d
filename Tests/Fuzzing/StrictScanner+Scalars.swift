// Numbers and strings (RFC 8259, sections 6 and 7).
extension StrictScanner {
  mutating func readNumber() -> Bool {
    if peek == 0x2D { place += 1 }
    guard let first = peek, (0x30...0x39).contains(first) else { return false }
    place += 1
    if first != 0x30 { skipDigits() }
    if peek == 0x2E {
      place += 1
      guard skipDigits() else { return false }
    }
    if peek == 0x65 || peek == 0x45 {
      place += 1
      if peek == 0x2B || peek == 0x2D { place += 1 }
      guard skipDigits() else { return false }
    }
    // A number directly followed by a word is invalid: YAJL and this scanner both see two tokens,
    // which are never adjacent in JSON.
    return true
  }

  @discardableResult
  private mutating func skipDigits() -> Bool {
    let start = place
    while let byte = peek, (0x30...0x39).contains(byte) { place += 1 }
    return place > start
  }

  /// Reads a string from its opening quote into `text`.
  mutating func readString() -> Bool {
    text.removeAll(keepingCapacity: true)
    minifiedCount = 2
    place += 1
    while let byte = peek {
      switch byte {
      case 0x22:
        place += 1
        return true
      case 0x5C: guard readEscape() else { return false }
      case 0..<0x20: return false
      case 0x20..<0x80:
        place += 1
        text.append(byte)
        minifiedCount += 1
      default:
        guard let scalar = readCharacter() else { return false }
        append(scalar)
      }
    }
    return false
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    let encoded = UTF8.encode(scalar)
    let before = text.count
    if let encoded { text.append(contentsOf: encoded) }
    minifiedCount += shortestCount(scalar, text.count - before)
  }

  // The bytes of a character in JSON text with only the required escapes.
  private func shortestCount(_ scalar: Unicode.Scalar, _ count: Int) -> Int {
    switch scalar.value {
    case 0x22, 0x5C, 0x08, 0x09, 0x0A, 0x0C, 0x0D: 2
    case 0..<0x20: 6
    default: count
    }
  }

  private mutating func readEscape() -> Bool {
    guard place + 1 < end else { return false }
    let letter = bytes[place + 1]
    if letter == 0x75 { return readUnicodeEscape() }
    let value: UInt8
    switch letter {
    case 0x22, 0x5C, 0x2F: value = letter
    case 0x62: value = 0x08
    case 0x66: value = 0x0C
    case 0x6E: value = 0x0A
    case 0x72: value = 0x0D
    case 0x74: value = 0x09
    default: return false
    }
    place += 2
    append(Unicode.Scalar(value))
    return true
  }

  private mutating func readUnicodeEscape() -> Bool {
    guard let unit = readUnit() else { return false }
    var value = unit
    if (0xD800...0xDFFF).contains(unit) {
      // A half of a pair is rejected without the other (section 8.2).
      guard unit < 0xDC00, let low = readUnit(), (0xDC00...0xDFFF).contains(low) else {
        return false
      }
      value = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(value) else { return false }
    append(scalar)
    return true
  }

  private mutating func readUnit() -> UInt32? {
    guard place + 6 <= end, bytes[place] == 0x5C, bytes[place + 1] == 0x75 else { return nil }
    var value: UInt32 = 0
    for byte in bytes[place + 2..<place + 6] {
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x41 + 10
      case 0x61...0x66: digit = byte - 0x61 + 10
      default: return nil
      }
      value = value * 16 + UInt32(digit)
    }
    place += 6
    return value
  }

  // A character of two to four bytes (RFC 3629): decoded by arithmetic, then rejected if a
  // shorter form exists, if it is a surrogate, or if there is no such character.
  private mutating func readCharacter() -> Unicode.Scalar? {
    let lead = bytes[place]
    let count: Int
    var value: UInt32
    switch lead {
    case 0xC0..<0xE0: (count, value) = (2, UInt32(lead & 0x1F))
    case 0xE0..<0xF0: (count, value) = (3, UInt32(lead & 0x0F))
    case 0xF0..<0xF8: (count, value) = (4, UInt32(lead & 0x07))
    default: return nil
    }
    guard place + count <= end else { return nil }
    for byte in bytes[place + 1..<place + count] {
      guard byte & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    let least: UInt32 = count == 2 ? 0x80 : count == 3 ? 0x800 : 0x10000
    // `Unicode.Scalar` excludes surrogates and values above U+10FFFF.
    guard value >= least, let scalar = Unicode.Scalar(value) else { return nil }
    place += count
    return scalar
  }
}
