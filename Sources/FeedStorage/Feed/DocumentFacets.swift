package import FeedSchema
import JSONStream

/// A summary of the values at one path of documents, by which a list can be filtered.
///
/// It is computed from the stored statistics, so it costs no scan and covers the whole feed.
package struct DocumentFacet: Sendable, Hashable {
  /// The number of values of one JSON type.
  package struct TypeCount: Sendable, Hashable {
    package let name: String
    package let count: Int
  }

  /// One of the texts to choose from.
  package struct TextCount: Sendable, Hashable {
    package let text: String
    /// The number of its values; nil for a feed of an earlier version.
    package let count: Int?
  }

  /// The numbers or dates at a path that has no values of other types except null.
  package struct Spread: Sendable, Hashable {
    private static let maximumBars = 16

    /// Dates are in seconds since the reference date.
    package let range: ClosedRange<Double>
    /// Nil for a feed of an earlier version.
    package let histogram: NumberHistogram?
    /// The distance between neighbouring values: a second for dates, 1 for integers, 0 for other
    /// numbers.
    package let step: Double

    fileprivate init(_ spread: PathNode.Spread, step: Double) {
      range = spread.range
      histogram = spread.histogram?.merged(toAtMost: Self.maximumBars, width: step)
      self.step = step
    }
  }

  /// The path as conditions write it.
  package let path: String
  /// The number of records that have the path.
  package let records: Int
  /// The distinct texts, the most frequent first. Empty if there is only one or too many to list,
  /// if the texts have a known format, or if the path has values of other types except null.
  package private(set) var texts: [TextCount] = []
  /// The number of booleans.
  package let booleans: Int
  package let isBoolean: Bool
  /// The number of booleans that are true; nil for a feed of an earlier version.
  package let trues: Int?
  package let isDate: Bool
  package private(set) var numbers: Spread?
  package private(set) var dates: Spread?
  /// The number of nulls.
  package let nulls: Int
  /// The types other than null if there are several.
  package private(set) var types: [TypeCount] = []

  /// Whether the filter is a choice of values and not a range.
  var isChoice: Bool { numbers == nil && !isDate }

  /// Nil if the path has too many values, or no condition can name it.
  fileprivate init?(_ node: PathNode, at path: [String]) {
    let text = PayloadSchema.pathText(path)
    // A key may read like an operator.
    guard let condition = try? QueryCondition(text + " exists"), condition.test == .exists,
      (try? condition.path.objectKeys()) == path
    else { return nil }
    self.path = text
    records = node.records
    nulls = node.tally(.null).count
    let rest = node.valueCount - nulls
    let numberCount = node.tally(.integer).count + node.tally(.number).count
    booleans = node.tally(.boolean).count
    isBoolean = rest > 0 && booleans == rest
    trues = node.trues
    let isText = rest > 0 && node.tally(.string).count == rest
    isDate = isText && node.formats == .dateTime
    if rest > 0, numberCount == rest {
      numbers = node.numbers.map { Spread($0, step: node.tally(.number).count == 0 ? 1 : 0) }
    }
    if isDate { dates = node.dates.map { Spread($0, step: 1) } }
    // Texts of a known format, such as URLs and UUIDs, are not useful choices.
    if isText, node.formats.isEmpty, let values = node.values, values.count > 1 {
      texts = values.compactMap { value in
        let json = [0x22] + value.text + [0x22]
        return Feed.text(ofValue: json.span.bytes).map { TextCount(text: $0, count: value.count) }
      }
      // Texts with equal counts keep their order.
      texts = texts.enumerated().sorted { first, second in
        let (more, fewer) = (first.element.count ?? 0, second.element.count ?? 0)
        return more == fewer ? first.offset < second.offset : more > fewer
      }.map(\.element)
    }
    if numberCount < rest {
      types = ValueType.allCases.filter { $0 != .null && node.tally($0).count > 0 }
        .map { TypeCount(name: $0.name, count: node.tally($0).count) }
    }
    if types.count < 2 { types = [] }
    guard isBoolean || isDate || numbers != nil || !texts.isEmpty || !types.isEmpty else {
      return nil
    }
  }
}

extension DocumentFacet {
  /// More would be too long to read.
  private static let maximumChoices = 8
  private static let maximumRanges = 5

  /// The facets of documents, in their order. If there are too many, those of most records are
  /// chosen, and among equals those nearest to the root.
  static func facets(_ statistics: DocumentStatistics, of schema: PayloadSchema) -> [DocumentFacet]
  {
    var found: [(depth: Int, facet: DocumentFacet)] = []
    collect(statistics.root, at: [], besides: schema.keyField.path, &found)
    let ranked = found.indices.sorted { left, right in
      let (first, second) = (found[left], found[right])
      if first.facet.records != second.facet.records {
        return first.facet.records > second.facet.records
      }
      return first.depth == second.depth ? left < right : first.depth < second.depth
    }
    let choices = ranked.filter { found[$0].facet.isChoice }.prefix(maximumChoices)
    let ranges = ranked.filter { !found[$0].facet.isChoice }.prefix(maximumRanges)
    return (choices.sorted() + ranges.sorted()).map { found[$0].facet }
  }

  private static func collect(
    _ branch: DocumentStatistics.Branch, at path: [String], besides key: [String],
    _ found: inout [(depth: Int, facet: DocumentFacet)]
  ) {
    // The keys of a map are data, and differ from record to record.
    guard !branch.isMap else { return }
    for member in branch.members {
      let path = path + [member.key]
      if path != key, let facet = DocumentFacet(member.branch.node, at: path) {
        found.append((path.count, facet))
      }
      collect(member.branch, at: path, besides: key, &found)
    }
  }
}

extension Feed {
  /// The facets of its documents; none for other records.
  package var facets: [DocumentFacet] { description.storedSchema?.facets ?? [] }
}
