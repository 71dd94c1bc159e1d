/// The target of a request (RFC 9112, section 3.2): the path and the query, decoded.
struct RequestTarget: Sendable, Hashable {
  /// The parts of the path between slashes; one empty part for `/`.
  let segments: [String]
  /// The target as received, without scheme and authority.
  let text: String
  /// The parameters of the query, in order.
  let items: [(name: String, value: String)]

  static func == (left: RequestTarget, right: RequestTarget) -> Bool { left.text == right.text }

  func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// Parses the origin form and the absolute form. Nil for other forms, invalid escapes, and
  /// escapes that are not UTF-8.
  init?(_ target: String) {
    var text = target[...]
    if !text.hasPrefix("/") {
      guard let authority = Self.authority(of: target) else { return nil }
      text = text[authority.endIndex...]
      // An empty path means the root (RFC 9110, section 4.2.3).
      if !text.hasPrefix("/") { text = "/" + text }
    }
    self.text = String(text)
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var segments: [String] = []
    for part in parts[0].split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      guard let segment = Self.decoded(part, plusIsSpace: false) else { return nil }
      segments.append(segment)
    }
    self.segments = segments
    guard parts.count > 1 else {
      items = []
      return
    }
    var items: [(name: String, value: String)] = []
    for item in parts[1].split(separator: "&") {
      let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decoded(pair[0], plusIsSpace: true),
        let value = Self.decoded(pair.count > 1 ? pair[1] : "", plusIsSpace: true)
      else { return nil }
      items.append((name, value))
    }
    self.items = items
  }

  /// The host and port of an absolute URL; nil for text of another form.
  static func authority(of url: String) -> Substring? {
    guard let scheme = url[...].range(of: "://"), !url[..<scheme.lowerBound].contains("/")
    else { return nil }
    return url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
  }

  /// The first value of a name in the query.
  subscript(name: String) -> String? { items.first { $0.name == name }?.value }

  private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return String(text)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
        else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension String {
  /// Escapes every byte except those that never need it (RFC 3986, section 2.3).
  var queryEscaped: String {
    var result = ""
    for byte in utf8 {
      switch Unicode.Scalar(byte) {
      case "A"..."Z", "a"..."z", "0"..."9", "-", ".", "_", "~":
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        result += byte < 16 ? "%0" : "%"
        result += String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}

extension Substring {
  /// The first occurrence of a text in this one.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      formIndex(after: &start)
    }
    return nil
  }
}
