import FeedStorage

/// The addresses of the web page.
enum PageAddress: Hashable, Sendable {
  /// The list of feeds.
  case home
  /// A part of a feed's list.
  case list(FeedName, ListQuery = ListQuery())
  /// The records of a feed with a key.
  case record(FeedName, key: String)

  /// Parses the target of a request; nil if it is not an address of the page.
  init?(_ target: RequestTarget) {
    let segments = target.segments
    if segments == [""] {
      self = .home
      return
    }
    guard segments.count > 1, segments[0] == "page", let name = try? FeedName(segments[1]) else {
      return nil
    }
    if segments.count == 2, let query = ListQuery(target) {
      self = .list(name, query)
    } else if segments.count == 3, segments[2] == "record", let key = target["key"] {
      self = .record(name, key: key)
    } else {
      return nil
    }
  }

  /// The path and query of the address.
  var text: String {
    switch self {
    case .home: "/"
    case .list(let name, let query): "/page/\(name)\(query.text)"
    case .record(let name, let key): "/page/\(name)/record?key=\(key.queryEscaped)"
    }
  }
}

/// Selects a part of a feed's list.
struct ListQuery: Hashable, Sendable {
  /// The start of the part; nil for the first.
  var position: PageCursor?
  /// Selects items that contain this text; empty for all items.
  var filter: String
  /// Whether the feed's service is asked even if the feed is fresh.
  var refreshes: Bool

  init(position: PageCursor? = nil, filter: String = "", refreshes: Bool = false) {
    self.position = position
    self.filter = filter
    self.refreshes = refreshes
  }

  /// Nil if the cursor is malformed.
  init?(_ target: RequestTarget) {
    if let cursor = target["cursor"] {
      guard let position = PageCursor(cursor) else { return nil }
      self.position = position
    }
    let words = target["filter"]?.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    filter = String((words ?? "").prefix(TextSearch.limit))
    refreshes = target["refresh"] != nil
  }

  fileprivate var text: String {
    var items: [String] = []
    if let position { items.append("cursor=\(position)") }
    if !filter.isEmpty { items.append("filter=\(filter.queryEscaped)") }
    if refreshes { items.append("refresh=1") }
    return items.isEmpty ? "" : "?" + items.joined(separator: "&")
  }
}
