import FeedPresentation
import FeedSchema
import FeedStorage
import JSONStream

/// The links and forms by which a reader changes what a list shows. All of them work without a
/// script.
struct ListLinks {
  let feed: Feed
  let query: ListQuery
  let reader: PageReader

  private var text: FeedText { reader.text }

  private func address(_ change: (inout ListQuery) -> Void) -> String {
    PageAddress.list(feed.description.name, query.first(change)).text
  }

  // MARK: Columns

  /// The headings of the columns. The first choice of a column sorts by it, the next one turns the
  /// order around.
  func columns(_ columns: [ListColumn]) -> [ColumnView] {
    columns.enumerated().map { index, column in
      // The keys of rows are headings and not compared as numbers.
      let isNumber = column.isNumber && index > 0
      guard let path = column.path else {
        return ColumnView(
          title: column.title, address: nil, order: nil, isNumber: isNumber)
      }
      let (up, down) = (path, "-" + path)
      return ColumnView(
        title: column.title, address: address { $0.sort = query.sort == up ? down : up },
        order: query.sort == up ? "ascending" : query.sort == down ? "descending" : nil,
        isNumber: isNumber)
    }
  }

  // MARK: Conditions

  /// The conditions and the order of the list.
  var chips: [ChipView] {
    var chips = query.conditions.map { condition in
      chip(condition, address { $0.conditions.removeAll { $0 == condition } })
    }
    if let sort = query.sort {
      let isDescending = sort.utf8.first == UInt8(ascii: "-")
      let path = isDescending ? String(sort.unicodeScalars.dropFirst()) : sort
      let title = text.format(isDescending ? .descending : .ascending, path)
      chips.append(chip(title, address { $0.sort = nil }))
    }
    return chips
  }

  private func chip(_ title: String, _ address: String) -> ChipView {
    ChipView(
      title: DocumentDisplay.cut(title), label: text.format(.remove, DocumentDisplay.cut(title)),
      address: address)
  }

  /// The form for a condition; nil for the feeds of the apps, which show their fields under other
  /// names, unless the query has a condition or a fault.
  ///
  /// - Parameter fault: why the query cannot be compiled
  func conditionForm(
    _ columns: [ListColumn], _ fault: CompiledListQuery.Fault? = nil
  ) -> ConditionFormView? {
    guard feed.schema.preset == nil || !query.conditions.isEmpty || fault != nil else { return nil }
    var suggestions = columns.compactMap(\.path)
    suggestions += feed.facets.map(\.path).filter { !suggestions.contains($0) }
    let reason = fault?.condition == nil ? nil : fault?.reason
    return ConditionFormView(
      label: text[.condition], example: example,
      hint: text.format(.conditionHint, QueryCondition.operators), button: text[.conditionAdd],
      kept: ParameterView.kept(query), suggestions: suggestions, value: fault?.condition ?? "",
      error: reason.map { $0.prefix(1).uppercased() + $0.dropFirst() })
  }

  /// A condition on values that the feed has; empty if none are known.
  private var example: String {
    for facet in feed.facets {
      if let value = facet.texts.last?.text {
        return "\(facet.path) = \(Self.literal(value))"
      }
      if let range = facet.numbers?.range {
        return "\(facet.path) < \(range.upperBound.schemaDigits)"
      }
    }
    return ""
  }

  // MARK: Facets

  /// What is known about the values of fields.
  var facets: [FacetView] { feed.facets.map(view) }

  private func view(_ facet: DocumentFacet) -> FacetView {
    let total = feed.description.recordCount
    var rows = facet.texts.map { value in
      counted(
        value.text.isEmpty ? text[.emptyText] : DocumentDisplay.cut(value.text),
        "\(facet.path) = \(Self.literal(value.text))", value.count, of: total)
    }
    if facet.isBoolean {
      let falses = facet.trues.map { facet.booleans - $0 }
      rows += [("true", facet.trues), ("false", falses)].map { value, count in
        counted(value, "\(facet.path) = \(value)", count, of: total)
      }
    }
    rows += facet.types.map { counted($0.name, nil, $0.count, of: total) }
    if facet.nulls > 0 {
      rows.append(counted("null", "\(facet.path) = null", facet.nulls, of: total))
    }
    if facet.records < total {
      rows.append(counted(text[.anyValue], "\(facet.path) exists", facet.records, of: total))
    }
    return FacetView(title: facet.path, rows: rows, range: range(facet))
  }

  private func row(_ title: String, _ condition: String) -> FacetRowView {
    let isChosen = query.conditions.contains(condition)
    return FacetRowView(
      title: title,
      address: address { changed in
        changed.conditions.removeAll { $0 == condition }
        if !isChosen { changed.conditions.append(condition) }
      }, isChosen: isChosen)
  }

  private func counted(
    _ title: String, _ condition: String?, _ count: Int?, of total: Int
  ) -> FacetRowView {
    var row = condition.map { self.row(title, $0) } ?? FacetRowView(title: title, address: nil)
    guard let count else { return row }
    row.count = reader.feeds.number(count)
    row.share = "\(min(count * 100 / max(total, 1), 100))"
    return row
  }

  private func range(_ facet: DocumentFacet) -> RangeView? {
    guard facet.isDate || facet.numbers != nil else { return nil }
    let spread = facet.numbers ?? facet.dates
    let bounds = spread.map { FacetBounds(ofDates: facet.isDate, in: $0.range) }
    let low = spread.flatMap { bounds?.text($0.range.lowerBound) } ?? text[.earliest]
    let high = spread.flatMap { bounds?.text($0.range.upperBound) } ?? text[.latest]
    return RangeView(
      histogram: spread.flatMap { HistogramView($0, ofDates: facet.isDate, in: text) },
      low: low, lowLabel: "\(low): \(text.format(.ascending, facet.path))",
      lowAddress: address { $0.sort = facet.path },
      high: high, highLabel: "\(high): \(text.format(.descending, facet.path))",
      highAddress: address { $0.sort = "-" + facet.path })
  }

  /// A text as a condition writes it: in quotes, unless it is a word of ASCII letters and
  /// underscores that is not a JSON literal.
  private static func literal(_ value: String) -> String {
    let isWord =
      value.utf8.allSatisfy { byte in
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
      } && !["", "true", "false", "null"].contains(value)
    if isWord { return value }
    var json: [UInt8] = []
    JSONText.appendString(value, to: &json)
    return String(decoding: json, as: UTF8.self)
  }

  // MARK: Pages

  /// The form for another page; nil if there is only one.
  func pager(_ part: ListPart) -> PagerView? {
    let total: Int? =
      query.isSearch
      ? part.matches.flatMap { $0.isWhole ? $0.count : nil } : feed.description.recordCount
    let isLong = total.map { $0 > ListQuery.sizes[0] } ?? true
    guard isLong || query.page != nil || query.size != ListQuery.sizes[0] else { return nil }
    let count = total.map { max(($0 + query.size - 1) / query.size, 1) }
    var page = query.page ?? 1
    if let position = query.position {
      page = query.isSearch ? 0 : position.position / query.size + 1
    }
    let name = feed.description.name
    return PagerView(
      label: text[.pages], hasPages: count != 1, pageLabel: text[.pageNumber],
      page: page > 0 ? "\(page)" : "", maximum: count.map { "\($0)" },
      count: count.map { reader.feeds.pages($0) }, button: text[.go],
      kept: ParameterView.kept(query),
      previous: page > 1
        ? LinkView(
          title: text[.previous],
          address: .list(name, query.first { $0.page = page > 2 ? page - 1 : nil })) : nil,
      sizeLabel: text[.pageSize],
      sizes: ListQuery.sizes.map { size in
        SizeView(
          title: reader.feeds.number(size), address: address { $0.size = size },
          isCurrent: size == query.size)
      })
  }
}
