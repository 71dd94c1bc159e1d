/// The type of a body, determined from its first bytes.
///
/// The media type that a service declares may be wrong. A failing service may send an HTML page or
/// an error message labelled as an image, which would then replace the stored image.
package enum ImageContent: Hashable, Sendable {
  /// An image, with its media type.
  case image(String)
  /// Something else, by its name in messages, such as `JSON`.
  case other(String)
  case unknown

  /// The number of bytes that are searched for the root of an XML document.
  private static let headBytes = 64 << 10

  package init(_ bytes: borrowing RawSpan) {
    guard bytes.byteCount > 0 else {
      self = .other("nothing")
      return
    }
    if let type = Self.mediaType(bytes) {
      self = .image(type)
    } else if Self.begins(bytes, "%PDF-") {
      self = .other("PDF")
    } else {
      self = TextHead(bytes, Self.headBytes).content
    }
  }

  /// The media type of an image.
  package var mediaType: String? {
    if case .image(let type) = self { type } else { nil }
  }

  // The signatures of https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern, and AVIF.
  private static func mediaType(_ bytes: borrowing RawSpan) -> String? {
    if begins(bytes, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if begins(bytes, [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if begins(bytes, "GIF87a") || begins(bytes, "GIF89a") { return "image/gif" }
    if begins(bytes, "RIFF"), begins(bytes, "WEBP", at: 8) { return "image/webp" }
    // A text may begin with these two letters too. The four reserved bytes are 0.
    if begins(bytes, "BM"), begins(bytes, [0, 0, 0, 0], at: 6) { return "image/bmp" }
    if begins(bytes, [0, 0, 1, 0]) { return "image/vnd.microsoft.icon" }
    return isAVIF(bytes) ? "image/avif" : nil
  }

  // A file type box (ISO 14496-12, section 4.3) with a brand of AVIF among its brands.
  private static func isAVIF(_ bytes: borrowing RawSpan) -> Bool {
    guard bytes.byteCount >= 16, begins(bytes, "ftyp", at: 4) else { return false }
    var size = 0
    for place in 0..<4 { size = size << 8 | Int(byte(bytes, place)) }
    let end = min(size, bytes.byteCount, 256)
    for place in stride(from: 8, to: end - 3, by: 4) where place != 12 {
      if begins(bytes, "avif", at: place) || begins(bytes, "avis", at: place) { return true }
    }
    return false
  }

  private static func begins(
    _ bytes: borrowing RawSpan, _ text: StaticString, at start: Int = 0
  ) -> Bool {
    text.withUTF8Buffer { begins(bytes, Array($0), at: start) }
  }

  private static func begins(
    _ bytes: borrowing RawSpan, _ signature: [UInt8], at start: Int = 0
  ) -> Bool {
    guard bytes.byteCount >= start + signature.count else { return false }
    for (place, wanted) in signature.enumerated() where byte(bytes, start + place) != wanted {
      return false
    }
    return true
  }

  private static func byte(_ bytes: borrowing RawSpan, _ place: Int) -> UInt8 {
    bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
  }
}

/// The beginning of a body that may be a text.
private struct TextHead {
  private static let blanks = Array(" \t\n\r".utf8)

  private let text: [UInt8]
  /// Whether `text` is the whole body.
  private let isWhole: Bool

  init(_ bytes: borrowing RawSpan, _ limit: Int) {
    var head = bytes.extracting(0..<min(bytes.byteCount, limit)).withUnsafeBytes { Array($0) }
    // In UTF-16 every other byte of ASCII is 0.
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
      head = head.dropFirst(2).filter { $0 != 0 }
    } else if head.starts(with: [0xEF, 0xBB, 0xBF]) {
      head.removeFirst(3)
    }
    text = Array(head.drop { Self.blanks.contains($0) })
    isWhole = bytes.byteCount <= limit
  }

  var content: ImageContent {
    switch text.first {
    case UInt8(ascii: "{"), UInt8(ascii: "["): .other("JSON")
    case UInt8(ascii: "<"): markup
    default: isScalar ? .other("JSON") : .unknown
    }
  }

  /// Whether the whole body is a JSON string, boolean or null, such as `"not found"`.
  private var isScalar: Bool {
    guard isWhole, let end = text.lastIndex(where: { !Self.blanks.contains($0) }) else {
      return false
    }
    let text = text[...end]
    if text.count > 1, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") {
      return true
    }
    return ["null", "true", "false"].contains { text.elementsEqual($0.utf8) }
  }

  /// XML, HTML or SVG, by the name of the first element.
  private var markup: ImageContent {
    var place = 0
    while place < text.count {
      let rest = text[place...]
      if Self.blanks.contains(text[place]) {
        place += 1
      } else if rest.starts(with: "<!--".utf8) {
        place = end(of: "-->", from: place + 4)
      } else if rest.starts(with: "<?".utf8) {
        place = end(of: "?>", from: place)
      } else if rest.starts(with: "<!".utf8) {
        if lowercased(rest.prefix(14)) == "<!doctype html" { return .other("HTML") }
        place = endOfDeclaration(from: place)
      } else {
        return element(rest)
      }
    }
    return .other("XML")
  }

  private func element(_ rest: ArraySlice<UInt8>) -> ImageContent {
    guard rest.first == UInt8(ascii: "<") else { return .unknown }
    let name = rest.dropFirst().prefix { !Self.blanks.contains($0) && !">/".utf8.contains($0) }
    let local = lowercased((name.split(separator: UInt8(ascii: ":")).last ?? []).prefix(16))
    switch local {
    case "svg": return .image("image/svg+xml")
    case "html", "head", "body", "title", "script", "meta", "h1", "p", "div", "center", "br", "a":
      return .other("HTML")
    default:
      let isName = local.utf8.first.map { (0x61...0x7A).contains($0) || $0 == 0x5F } ?? false
      return isName ? .other("XML") : .unknown
    }
  }

  private func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self).lowercased()
  }

  /// The position after the next occurrence of a text; the end if it does not occur.
  private func end(of wanted: String, from start: Int) -> Int {
    let wanted = Array(wanted.utf8)
    var place = start
    while place + wanted.count <= text.count {
      if text[place] == wanted[0], text[place..<place + wanted.count].elementsEqual(wanted) {
        return place + wanted.count
      }
      place += 1
    }
    return text.count
  }

  /// The position after a document type, whose brackets may hold declarations.
  private func endOfDeclaration(from start: Int) -> Int {
    var depth = 0
    for place in start..<text.count {
      switch text[place] {
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ">") where depth <= 0: return place + 1
      default: break
      }
    }
    return text.count
  }
}
