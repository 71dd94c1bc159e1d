import FeedCore
import FeedTools

/// The paths of documents with what is known about their values, as the rows of a table.
struct DocumentSchemaTable {
  static let titles: [(String, TextTable.Alignment)] = [
    ("path", .left), ("types", .left), ("present", .right), ("values", .left),
  ]

  /// A type with a smaller share of the values is an exception. Its first record is named.
  private static let rareShare = 0.01

  private let statistics: DocumentStatistics
  private(set) var rows: [[String]] = []

  init(_ statistics: DocumentStatistics) {
    self.statistics = statistics
    add(statistics.root, at: "")
  }

  /// Prints the table.
  func print(to output: Output) {
    let table = TextTable(Self.titles, columns: StandardStreams.columns, output: output)
    for row in rows { table.add(row) }
    table.finish()
  }

  private mutating func add(_ branch: DocumentStatistics.Branch, at path: String) {
    if branch.node.valueCount > 0 {
      rows.append([
        path.isEmpty ? "(record)" : path, types(branch.node), present(branch.node),
        values(branch.node),
      ])
    }
    if let elements = branch.elements.first { add(elements, at: path + "[]") }
    for (key, member) in branch.members {
      let name = branch.isMap ? "*" : PayloadSchema.pathText([key])
      add(member, at: PayloadSchema.pathText(path, name))
    }
  }

  /// The types, the most frequent first: `integer 99.99 % | string 1 (first: record 48,211)`.
  private func types(_ node: PathNode) -> String {
    let all = node.valueCount
    let found = ValueType.allCases.filter { node.tally($0).count > 0 }
      .sorted { node.tally($0).count > node.tally($1).count }
    guard found.count > 1 else { return found.first?.name ?? "" }
    return found.map { type in
      let tally = node.tally(type)
      let share = Double(tally.count) / Double(all)
      guard share < Self.rareShare else { return "\(type.name) \(Self.percent(share))" }
      return "\(type.name) \(ReadableNumber.grouped(tally.count)) (first: record"
        + " \(ReadableNumber.grouped(tally.first + 1)))"
    }.joined(separator: " | ")
  }

  private func present(_ node: PathNode) -> String {
    guard statistics.records > 0 else { return "" }
    return Self.percent(Double(node.records) / Double(statistics.records))
  }

  /// The values if they are few, their range, or their form.
  private func values(_ node: PathNode) -> String {
    if let values = node.values, !values.isEmpty {
      return values.map { String(decoding: $0.text, as: UTF8.self) }.joined(separator: " | ")
    }
    var parts: [String] = []
    if let numbers = node.numbers {
      let range = numbers.range
      parts.append("\(range.lowerBound.schemaDigits) … \(range.upperBound.schemaDigits)")
    }
    if let bytes = node.textBytes {
      let format = [(TextFormats.uuid, "uuid"), (.dateTime, "date-time"), (.uri, "uri")]
        .first { node.formats.contains($0.0) }
      parts.append(format?.1 ?? "at most \(ReadableNumber.counted(bytes.upperBound, "byte"))")
    }
    return parts.joined(separator: ", ")
  }

  private static func percent(_ share: Double) -> String {
    if share == 1 { return "100 %" }
    // Rounding must not turn nearly all into all, or few into none.
    let percent = min(max(share * 100, 0.01), 99.99)
    let decimals = percent >= 99.5 || percent < 1 ? 2 : 1
    return ReadableNumber.fixed(percent, decimals: decimals) + " %"
  }
}
