import FeedPresentation
import FeedStorage
@_spi(Records) import JSONStream

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A JSON text as nested lists of HTML: objects as lists of their members, arrays as numbered ones.
/// A string that is a web address is a link.
struct DocumentTree {
  /// A page with more would be slow. The record itself is at a link of the page.
  private static let maximumValues = 5_000
  private static let maximumBytes = 1 << 20
  /// Longer strings are cut.
  private static let maximumTextBytes = 64 << 10

  /// The markup, which is complete even if not all values are shown.
  private(set) var html = ""
  private var valueCount = 0

  init(_ text: RawSpan) {
    var cursor = JSONCursor(text)
    var levels: [JSONCursor.Kind] = []
    while true {
      valueCount += 1
      guard valueCount <= Self.maximumValues, html.utf8.count < Self.maximumBytes else {
        html += "…"
        break
      }
      if let kind = cursor.nextKind(), kind.isContainer, cursor.enter() != nil {
        if cursor.peek() == (kind == .object ? 0x7D : 0x5D) {
          // An empty one is a sign and no list.
          html += kind == .object ? "{}" : "[]"
          _ = kind == .object ? cursor.nextKey() == nil : cursor.nextElement() == nil
        } else {
          levels.append(kind)
          html += kind == .object ? "<ul>" : "<ol start=\"0\">"
          isFirst = true
        }
      } else if let range = cursor.skipValue() {
        add(text.extracting(range))
      } else {
        break
      }
      guard next(&levels, &cursor) else { return }
    }
    for kind in levels.reversed() { html += "</li>" + Self.end(kind) }
  }

  /// Whether the next item is the first of its list.
  private var isFirst = false

  /// Ends the item and the lists that end here, and begins the next item; false at the end.
  private mutating func next(
    _ levels: inout [JSONCursor.Kind], _ cursor: inout JSONCursor
  ) -> Bool {
    while let kind = levels.last {
      if kind == .object, let key = cursor.nextKey() {
        html += isFirst ? "<li>" : "</li><li>"
        isFirst = false
        let name = Self.cut(key.string(in: cursor.bytes))
        html += "<span class=\"name\">\(Self.escaped(name))</span> "
        return true
      }
      if kind == .array, cursor.nextElement() != nil {
        html += isFirst ? "<li>" : "</li><li>"
        isFirst = false
        return true
      }
      html += (isFirst ? "" : "</li>") + Self.end(kind)
      isFirst = false
      levels.removeLast()
    }
    return false
  }

  private static func end(_ kind: JSONCursor.Kind) -> String {
    kind == .object ? "</ul>" : "</ol>"
  }

  private mutating func add(_ value: RawSpan) {
    guard let text = Feed.text(ofValue: value) else {
      html += "<i>null</i>"
      return
    }
    guard value.byte(at: 0) == 0x22 else {
      html += "<i>\(Self.escaped(Self.cut(text)))</i>"
      return
    }
    if let url = WebLink(text).url {
      html += "<a href=\"\(Self.escaped(url.absoluteString))\">\(Self.escaped(Self.cut(text)))</a>"
    } else {
      html += "<span>\(Self.escaped(Self.cut(text)))</span>"
    }
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > maximumTextBytes else { return text }
    return String(decoding: text.utf8.prefix(maximumTextBytes), as: UTF8.self) + "…"
  }

  /// Escapes text for element content and for attributes in double quotes.
  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      // A page has no such character.
      case 0: bytes += "\u{FFFD}".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
