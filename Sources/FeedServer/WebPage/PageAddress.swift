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
