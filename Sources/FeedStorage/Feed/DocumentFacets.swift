package import FeedSchema
import JSONStream

/// What is known about the values of one path of documents, by which people narrow a list down.
///
/// It comes from the stored statistics, so it costs no scan, and is true of the whole feed.
package struct DocumentFacet: Sendable, Hashable {
  /// The number of values of one JSON type.
  package struct TypeCount: Sendable, Hashable {
    package let name: String
    package let count: Int
  }

  /// One of the texts that people choose from.
  package struct TextCount: Sendable, Hashable {
    package let text: String
    /// The number of its values; nil for a feed of an earlier version.
    package let count: Int?
  }

  /// The numbers or dates of a path that has nothing else but null.
  package struct Spread: Sendable, Hashable {
    private static let maximumBars = 16

    /// Dates are in seconds since the reference date.
    package let range: ClosedRange<Double>
    /// Nil for a feed of an earlier version.
    package let histogram: NumberHistogram?
    /// From one value to the next: a second, one for integers, and 0 for other numbers.
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
  /// The distinct texts if they are few and there is nothing else but null, the most frequent first.
  package private(set) var texts: [TextCount] = []
  /// The number of booleans.
  package let booleans: Int
  package let isBoolean: Bool
  /// Of booleans, those that are true; nil for a feed of an earlier version.
  package let trues: Int?
  package let isDate: Bool
  package private(set) var numbers: Spread?
  package private(set) var dates: Spread?
  /// The number of nulls.
  package let nulls: Int
  /// The types other than null if there are several.
  package private(set) var types: [TypeCount] = []

  /// Whether a reader chooses among values, and not in a range.
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
    // Addresses and ids are no words to choose from.
    if isText, node.formats.isEmpty, let values = node.values, values.count > 1 {
      texts = values.compactMap { value in
        let json = [0x22] + value.text + [0x22]
        return Feed.text(ofValue: json.span.bytes).map { TextCount(text: $0, count: value.count) }
      }
      // Of equal counts the text that came first is first.
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

  /// The facets of documents, in their order. Of too many, those of most records, and of these those
  /// nearest to the top.
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
