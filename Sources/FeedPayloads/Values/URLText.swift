import CFeedScan
@_spi(Records) import JSONStream

/// Absolute URLs as text (RFC 3986).
package enum URLText {
  /// True if the text is an absolute URL: a scheme (section 3.1), only characters that a URI may
  /// have (section 2), whole percent escapes, and for http and https a host that is not empty
  /// (RFC 9110, section 4.2).
  package static func isAbsolute(_ text: borrowing RawSpan) -> Bool {
    isPlainHTTP(text) || isAbsoluteByRule(text)
  }

  // Most URLs there are: http or https, a host that begins with a letter or digit, and nothing
  // but characters that need no second look. Sixteen at a time, since news have two a record; in
  // C, whose vectors are compared as such: Swift takes them apart.
  private static func isPlainHTTP(_ text: borrowing RawSpan) -> Bool {
    let count = text.byteCount
    guard count >= 16 else { return false }
    let start = text.unsafeLoadUnaligned(as: UInt64.self).littleEndian
    let host: Int
    switch start {
    case 0x2F2F_3A73_7074_7468: host = 8  // https://
    case _ where start << 8 == 0x2F2F_3A70_7474_6800: host = 7  // http://
    default: return false
    }
    guard isLetter(text.byte(at: host)) || isDigit(text.byte(at: host)) else { return false }
    return text.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return false }
      return feedscan_is_plain_uri_text(base, count)
    }
  }

  private static func isAbsoluteByRule(_ text: borrowing RawSpan) -> Bool {
    guard let colon = schemeEnd(text), colon + 1 < text.byteCount else { return false }
    var place = colon + 1
    while place < text.byteCount {
      let byte = text.byte(at: place)
      if byte == 0x25 {
        guard place + 2 < text.byteCount, isHexadecimal(text.byte(at: place + 1)),
          isHexadecimal(text.byte(at: place + 2))
        else { return false }
        place += 2
      } else if !isAllowed(byte) {
        return false
      }
      place += 1
    }
    return !isHTTP(text, colon) || hasHost(text, behind: colon)
  }

  private static func schemeEnd(_ text: borrowing RawSpan) -> Int? {
    guard text.byteCount > 0, isLetter(text.byte(at: 0)) else { return nil }
    for place in 1..<text.byteCount {
      let byte = text.byte(at: place)
      if byte == 0x3A { return place }
      let isSchemeByte =
        isLetter(byte) || isDigit(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
      if !isSchemeByte { return nil }
    }
    return nil
  }

  private static func isHTTP(_ text: borrowing RawSpan, _ colon: Int) -> Bool {
    guard colon == 4 || colon == 5 else { return false }
    let name: StaticString = "https"
    return name.withUTF8Buffer { letters in
      for place in 0..<colon where text.byte(at: place) | 0x20 != letters[place] { return false }
      return true
    }
  }

  // `//`, then user information up to an `@` if there is one, then the host up to `:`, `/`, `?`,
  // `#` or the end.
  private static func hasHost(_ text: borrowing RawSpan, behind colon: Int) -> Bool {
    guard colon + 2 < text.byteCount, text.byte(at: colon + 1) == 0x2F,
      text.byte(at: colon + 2) == 0x2F
    else { return false }
    var host = 0
    var place = colon + 3
    while place < text.byteCount {
      let byte = text.byte(at: place)
      if byte == 0x2F || byte == 0x3F || byte == 0x23 { break }
      host = byte == 0x40 ? 0 : host + 1
      if byte == 0x3A, host == 1 { return false }
      place += 1
    }
    return host > 0
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    if isLetter(byte) || isDigit(byte) { return true }
    switch byte {
    // -._~ :/?#[]@ !$&'()*+,;=
    case 0x2D, 0x2E, 0x5F, 0x7E, 0x3A, 0x2F, 0x3F, 0x23, 0x5B, 0x5D, 0x40, 0x21, 0x24, 0x26...0x2C,
      0x3B, 0x3D:
      return true
    default: return false
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x66).contains(byte | 0x20)
  }
}
