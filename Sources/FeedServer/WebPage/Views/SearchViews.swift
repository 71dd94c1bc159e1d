import FeedPresentation
import FeedStorage

/// A parameter that a form keeps.
struct ParameterView: Sendable {
  let name: String
  let value: String

  /// The parameters of a query, other than the one that the form itself sends.
  static func kept(_ query: ListQuery, except name: String? = nil) -> [ParameterView] {
    query.first().parameters.filter { $0.name != name }
      .map { ParameterView(name: $0.name, value: $0.value) }
  }
}

/// The form that adds a condition.
struct ConditionFormView: Sendable {
  let label: String
  let example: String
  let hint: String
  let button: String
  let kept: [ParameterView]
  /// The fields that it suggests.
  let suggestions: [String]
  /// The text that cannot be read; empty without one.
  let value: String
  let error: String?
}

/// A condition, or the order, with a link that removes it.
struct ChipView: Sendable {
  let title: String
  let label: String
  let address: String
}

/// The heading of a column.
struct ColumnView: Sendable {
  let title: String
  /// The same list in the order of the column.
  let address: String?
  /// A value of `aria-sort`; nil if the list has another order.
  let order: String?
  let isNumber: Bool
}

/// The values of a field, by which a list is narrowed down.
struct FacetView: Sendable {
  let title: String
  let rows: [FacetRowView]
  let range: RangeView?
}

/// One of the values, or what is known about all of them.
struct FacetRowView: Sendable {
  let title: String
  let address: String?
  /// Whether the list is narrowed down to this value. The link then removes the condition.
  var isChosen = false
  var count: String?
  /// The share of all records in percent.
  var share: String?
}

/// The least and the greatest value, as links to the lists that begin with them.
struct RangeView: Sendable {
  /// How the values are spread; nil if that is not known.
  let histogram: HistogramView?
  let low: String
  let lowLabel: String
  let lowAddress: String
  let high: String
  let highLabel: String
  let highAddress: String
}

/// The number of the page, and links to others.
struct PagerView: Sendable {
  let label: String
  let hasPages: Bool
  let pageLabel: String
  let page: String
  let maximum: String?
  let count: String?
  let button: String
  let kept: [ParameterView]
  let previous: LinkView?
  let sizeLabel: String
  let sizes: [SizeView]
}

/// A number of items on a page.
struct SizeView: Sendable {
  let title: String
  let address: String
  let isCurrent: Bool
}
