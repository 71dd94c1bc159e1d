import FeedPresentation
import FeedStorage
@_spi(Records) import JSONStream

/// A JSON text as nested lists: objects as lists of their members, arrays as numbered ones. A
/// string that is a web address is a link.
///
/// It is a sequence of parts, so that the template writes the markup and escapes all of it.
struct DocumentTree {
  /// A part of the markup; exactly one of its values is set.
  struct Part: Sendable, Hashable {
    var beginsObject = false
    var endsObject = false
    var beginsArray = false
    var endsArray = false
    var beginsItem = false
    var endsItem = false
    /// The key of a member.
    var name: String?
    /// A string.
    var text: String?
    /// A number, true, false or null, or the sign of an empty object or array.
    var literal: String?
    var link: LinkView?
  }

  /// A page with more would be slow. The record itself is at a link of the page.
  private static let maximumValues = 2_000
  private static let maximumBytes = 1 << 20
  /// Longer strings are cut.
  private static let maximumTextBytes = 64 << 10

  /// The parts, which are complete even if not all values are shown.
  private(set) var parts: [Part] = []
  private var valueCount = 0
  private var byteCount = 0
  /// Whether the next item is the first of its list.
  private var isFirst = false

  init(_ text: RawSpan) {
    var cursor = JSONCursor(text)
    var levels: [JSONCursor.Kind] = []
    while true {
      valueCount += 1
      guard valueCount <= Self.maximumValues, byteCount < Self.maximumBytes else {
        parts.append(Part(literal: "…"))
        break
      }
      if let kind = cursor.nextKind(), kind.isContainer, cursor.enter() != nil {
        if cursor.peek() == (kind == .object ? 0x7D : 0x5D) {
          // An empty object or array is shown as a sign, and not as a list.
          parts.append(Part(literal: kind == .object ? "{}" : "[]"))
          _ = kind == .object ? cursor.nextKey() == nil : cursor.nextElement() == nil
        } else {
          levels.append(kind)
          parts.append(kind == .object ? Part(beginsObject: true) : Part(beginsArray: true))
          isFirst = true
        }
      } else if let range = cursor.skipValue() {
        add(text.extracting(range))
      } else {
        break
      }
      guard next(&levels, &cursor) else { return }
    }
    for kind in levels.reversed() { parts += [Part(endsItem: true), Self.end(kind)] }
  }

  /// Ends the item and the lists that end here, and begins the next item; false at the end.
  private mutating func next(
    _ levels: inout [JSONCursor.Kind], _ cursor: inout JSONCursor
  ) -> Bool {
    while let kind = levels.last {
      if kind == .object, let key = cursor.nextKey() {
        beginItem()
        parts.append(Part(name: cut(key.string(in: cursor.bytes))))
        return true
      }
      if kind == .array, cursor.nextElement() != nil {
        beginItem()
        return true
      }
      if !isFirst { parts.append(Part(endsItem: true)) }
      parts.append(Self.end(kind))
      isFirst = false
      levels.removeLast()
    }
    return false
  }

  private mutating func beginItem() {
    if !isFirst { parts.append(Part(endsItem: true)) }
    parts.append(Part(beginsItem: true))
    isFirst = false
  }

  private static func end(_ kind: JSONCursor.Kind) -> Part {
    kind == .object ? Part(endsObject: true) : Part(endsArray: true)
  }

  private mutating func add(_ value: RawSpan) {
    guard let text = Feed.text(ofValue: value), value.byte(at: 0) == 0x22 else {
      return parts.append(Part(literal: cut(Feed.text(ofValue: value) ?? "null")))
    }
    let link = WebLink(title: cut(text), address: text)
    parts.append(link.url == nil ? Part(text: cut(text)) : Part(link: LinkView(link)))
  }

  private mutating func cut(_ text: String) -> String {
    byteCount += min(text.utf8.count, Self.maximumTextBytes)
    guard text.utf8.count > Self.maximumTextBytes else { return text }
    return String(decoding: text.utf8.prefix(Self.maximumTextBytes), as: UTF8.self) + "…"
  }
}
