/// Selects a part of a feed's list.
struct ListQuery: Hashable, Sendable {
  /// The numbers of items that a part may have, the default first.
  static let sizes = [24, 100]

  /// The start of the part, as the previous part gives it; nil for the first part and for a
  /// numbered page.
  var position: PageCursor?
  /// The number of the page, from 1; nil for the first.
  var page: Int?
  /// The maximum number of items.
  var size = Self.sizes[0]
  /// Selects items that contain this text; empty for all items.
  var filter: String
  /// Selects records by their values, in the words of ``FeedQuery``.
  var conditions: [String] = []
  /// The path to sort by, after a minus sign for a descending order; nil for the order of the feed.
  var sort: String?
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
    for item in target.items where item.name == "where" {
      // A form sends its fields even if they are empty.
      let isBlank = item.value.allSatisfy(\.isWhitespace)
      if !isBlank, !conditions.contains(item.value) { conditions.append(item.value) }
    }
    sort = target.items.first { $0.name == "sort" && !$0.value.isEmpty }?.value
    if let size = target["size"].flatMap({ Int($0) }), Self.sizes.contains(size) {
      self.size = size
    }
    if position == nil, let page = target["page"].flatMap({ Int($0) }), page > 1 {
      self.page = page
    }
  }

  /// Whether the query selects records by a text or by conditions.
  var isSearch: Bool { !filter.isEmpty || !conditions.isEmpty }

  /// The number of items before this part, counted among those that are selected.
  var skipped: Int {
    let product = ((page ?? 1) - 1).multipliedReportingOverflow(by: size)
    return product.overflow ? .max : product.partialValue
  }

  /// The first part of the same list after a change.
  func first(_ change: (inout ListQuery) -> Void = { _ in }) -> ListQuery {
    var query = self
    (query.position, query.page, query.refreshes) = (nil, nil, false)
    change(&query)
    return query
  }

  /// The names and values of its parameters.
  var parameters: [(name: String, value: String)] {
    var items: [(name: String, value: String)] = []
    if let position { items.append(("cursor", "\(position)")) }
    if !filter.isEmpty { items.append(("filter", filter)) }
    items += conditions.map { ("where", $0) }
    if let sort { items.append(("sort", sort)) }
    if size != Self.sizes[0] { items.append(("size", "\(size)")) }
    if let page { items.append(("page", "\(page)")) }
    if refreshes { items.append(("refresh", "1")) }
    return items
  }

  var text: String {
    let items = parameters.map { "\($0.name)=\($0.value.queryEscaped)" }
    return items.isEmpty ? "" : "?" + items.joined(separator: "&")
  }
}
