#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension URL {
  /// A URL that can be requested, from the text of a payload, a header field or an argument.
  ///
  /// Escapes only what may not stand in its component (RFC 3986, section 3), and keeps every
  /// complete escape. `URL(string:)` escapes all percent signs of a component in which one
  /// character is illegal: it would request `/m%20x[1].png` as `/m%2520x%5B1%5D.png`. Nil for the
  /// texts for which `URL(string:)` is nil.
  ///
  /// - Parameters:
  ///   - text: an absolute or relative URL. A host outside ASCII is encoded by IDNA.
  ///   - base: the URL that a relative one is resolved against.
  package init?(escaping text: String, relativeTo base: URL? = nil) {
    // Most URLs are valid as they are.
    if base == nil, let url = URL(string: text, encodingInvalidCharacters: false) {
      self = url
      return
    }
    self.init(string: URLParts(text).escaped, relativeTo: base)
  }

  /// The URL with its base resolved, if it is one for HTTP with a host (RFC 9110, section 4.2).
  package var absoluteHTTP: URL? {
    let url = absoluteURL
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      url.host()?.isEmpty == false
    else { return nil }
    return url
  }
}

/// The components of a URL as they are written (RFC 3986, appendix B).
private struct URLParts {
  /// The scheme and its colon.
  private let scheme: ArraySlice<UInt8>
  /// What precedes the host: the slashes, and the user information with its at sign.
  private let user: ArraySlice<UInt8>
  /// The host and the port.
  private let host: ArraySlice<UInt8>
  private let path: ArraySlice<UInt8>
  /// The query with its question mark.
  private let query: ArraySlice<UInt8>
  /// The fragment with its number sign.
  private let fragment: ArraySlice<UInt8>

  init(_ text: String) {
    var rest = Array(text.utf8)[...]
    fragment = rest.firstIndex(of: UInt8(ascii: "#")).map { rest[$0...] } ?? []
    rest = rest.prefix(rest.count - fragment.count)
    query = rest.firstIndex(of: UInt8(ascii: "?")).map { rest[$0...] } ?? []
    rest = rest.prefix(rest.count - query.count)
    scheme = rest.prefix(Self.schemeLength(rest))
    rest = rest.dropFirst(scheme.count)
    guard rest.starts(with: "//".utf8) else {
      (user, host, path) = ([], [], rest)
      return
    }
    let authority = rest.prefix(
      2 + rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }.count)
    path = rest.dropFirst(authority.count)
    let end = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex + 2
    user = authority[..<end]
    host = authority[end...]
  }

  /// The length of the scheme with its colon; 0 without a valid one (section 3.1).
  private static func schemeLength(_ text: ArraySlice<UInt8>) -> Int {
    guard let first = text.first, URLCharacters.isLetter(first),
      let colon = text.firstIndex(of: UInt8(ascii: ":")),
      text[..<colon].allSatisfy(URLCharacters.isOfScheme)
    else { return 0 }
    return colon + 1 - text.startIndex
  }

  /// The host stays as it is, since Foundation encodes it by other rules.
  var escaped: String {
    var bytes = Array(scheme)
    if !user.isEmpty {
      bytes += user.prefix(2)
      let isNamed = user.count > 2
      Self.escape(user.dropFirst(2).dropLast(isNamed ? 1 : 0), by: URLCharacters.isOfUser, &bytes)
      bytes += user.suffix(isNamed ? 1 : 0)
    }
    bytes += host
    bytes += escapedPath
    for part in [query, fragment] {
      bytes += part.prefix(1)
      Self.escape(part.dropFirst(), by: URLCharacters.isOfQuery, &bytes)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A relative path has no colon before its first slash, since that would end a scheme (section
  /// 4.2). Like Foundation, this escapes such a colon if a bracket precedes it. Any other colon
  /// there stays, so that Foundation refuses the URL.
  private var escapedPath: [UInt8] {
    var bytes: [UInt8] = []
    let first = path.prefix { $0 != UInt8(ascii: "/") }
    let name = first.prefix { $0 != UInt8(ascii: ":") }
    let hasBracket = name.contains { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
    guard scheme.isEmpty, user.isEmpty, host.isEmpty, hasBracket else {
      Self.escape(path, by: URLCharacters.isOfPath, &bytes)
      return bytes
    }
    Self.escape(first, by: { URLCharacters.isOfPath($0) && $0 != UInt8(ascii: ":") }, &bytes)
    Self.escape(path.dropFirst(first.count), by: URLCharacters.isOfPath, &bytes)
    return bytes
  }

  private static func escape(
    _ text: ArraySlice<UInt8>, by isLegal: (UInt8) -> Bool, _ bytes: inout [UInt8]
  ) {
    let digits = Array("0123456789ABCDEF".utf8)
    for index in text.indices {
      let byte = text[index]
      let isEscape =
        byte == UInt8(ascii: "%") && index + 2 < text.endIndex
        && URLCharacters.isHexadecimal(text[index + 1])
        && URLCharacters.isHexadecimal(text[index + 2])
      if isEscape || isLegal(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
  }
}

/// The characters that may stand in each component (RFC 3986, appendix A).
private enum URLCharacters {
  static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x66).contains(byte | 0x20)
  }

  static func isOfScheme(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || "+-.".utf8.contains(byte)
  }

  static func isOfUser(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || "-._~!$&'()*+,;=:".utf8.contains(byte)
  }

  static func isOfPath(_ byte: UInt8) -> Bool {
    isOfUser(byte) || byte == UInt8(ascii: "@") || byte == UInt8(ascii: "/")
  }

  static func isOfQuery(_ byte: UInt8) -> Bool { isOfPath(byte) || byte == UInt8(ascii: "?") }
}
