import CFeedScan
@_spi(Records) import JSONStream
import URLEscaping

/// Absolute URLs as text (RFC 3986).
package enum URLText {
  /// Whether the text is an absolute URL. It needs a scheme (section 3.1), only characters that a
  /// URI may have (section 2), complete percent escapes, and a valid authority if there is any
  /// (section 3.2). For http and https the host must not be empty (RFC 9110, section 4.2).
  ///
  /// Brackets and number signs are allowed in the later parts, where browsers accept them too.
  package static func isAbsolute(_ text: borrowing RawSpan) -> Bool {
    isPlainHTTP(text) || isAbsoluteByRule(text)
  }

  /// Whether a required field may have the text: whether the apps' decoders accept it.
  package static func isReadable(_ text: borrowing RawSpan) -> Bool {
    isAbsolute(text) || shape(of: text) != .invalid
  }

  /// What the text is as a URL. Allocates, unless it is absolute.
  static func shape(of text: borrowing RawSpan) -> URLShape {
    if isAbsolute(text) { return .absolute }
    return URLShape(of: text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
  }

  /// True for most real URLs: http or https, a host that begins with a letter or digit, and only
  /// characters that need no further check. Foundation's `URL` does not change them.
  ///
  /// It tests sixteen bytes at a time, because a news record has two URLs. It is written in C,
  /// which compares vectors as a whole; Swift takes them apart.
  package static func isPlainHTTP(_ text: borrowing RawSpan) -> Bool {
    let count = text.byteCount
    guard count >= 8 + 16 else { return false }
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
      return feedscan_is_plain_uri_text(base + host, count - host)
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
    return hasSoundAuthority(text, behind: colon, needsHost: isHTTP(text, colon))
  }

  /// The offset of the colon after a scheme (RFC 3986, section 3.1); nil if there is no scheme.
  package static func schemeEnd(_ text: borrowing RawSpan) -> Int? {
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

  /// Whether the text is a URL for HTTP in which nothing has to be escaped, so that Foundation's
  /// `URL` does not change it.
  package static func isUnchangedHTTP(_ text: borrowing RawSpan) -> Bool {
    if isPlainHTTP(text) { return true }
    guard let colon = schemeEnd(text), isHTTP(text, colon), isAbsoluteByRule(text) else {
      return false
    }
    for place in 0..<text.byteCount {
      let byte = text.byte(at: place)
      if isBracket(byte) || byte == 0x23 { return false }
    }
    return true
  }

  /// Whether the text may be a URL for HTTP, by its scheme.
  package static func isHTTP(_ text: borrowing RawSpan) -> Bool {
    schemeEnd(text).map { isHTTP(text, $0) } ?? false
  }

  // Checks `//`, then user information up to an `@` if there is one, then the host up to `:`, `/`,
  // `?`, `#` or the end, or an address in brackets.
  private static func hasSoundAuthority(
    _ text: borrowing RawSpan, behind colon: Int, needsHost: Bool
  ) -> Bool {
    guard colon + 2 < text.byteCount, text.byte(at: colon + 1) == 0x2F,
      text.byte(at: colon + 2) == 0x2F
    else { return !needsHost }
    var host = colon + 3
    var end = host
    while end < text.byteCount, ![0x2F, 0x3F, 0x23].contains(text.byte(at: end)) {
      if text.byte(at: end) == 0x40 {
        // A second one would be in the host.
        guard host == colon + 3 else { return false }
        host = end + 1
      }
      end += 1
    }
    for place in colon + 3..<host where isBracket(text.byte(at: place)) { return false }
    guard let port = hostEnd(text, host..<end, needsHost: needsHost) else { return false }
    for place in port..<end where !isDigit(text.byte(at: place)) { return false }
    return true
  }

  /// The position of the port, after the host and its colon; nil for an invalid host.
  private static func hostEnd(
    _ text: borrowing RawSpan, _ range: Range<Int>, needsHost: Bool
  ) -> Int? {
    var place = range.lowerBound
    if !range.isEmpty, text.byte(at: place) == 0x5B {
      place += 1
      while place < range.upperBound, isAddressByte(text.byte(at: place)) { place += 1 }
      guard place - range.lowerBound > 2, place < range.upperBound, text.byte(at: place) == 0x5D
      else { return nil }
      place += 1
    } else {
      while place < range.upperBound, text.byte(at: place) != 0x3A {
        if isBracket(text.byte(at: place)) { return nil }
        place += 1
      }
      if needsHost, place == range.lowerBound { return nil }
    }
    if place == range.upperBound { return place }
    return text.byte(at: place) == 0x3A ? place + 1 : nil
  }

  private static func isBracket(_ byte: UInt8) -> Bool { byte == 0x5B || byte == 0x5D }

  // An IPv6 address (RFC 3986, section 3.2.2), which may end in an IPv4 address.
  private static func isAddressByte(_ byte: UInt8) -> Bool {
    isHexadecimal(byte) || byte == 0x3A || byte == 0x2E
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
