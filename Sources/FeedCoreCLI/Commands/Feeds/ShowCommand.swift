import ArgumentParser
import FeedCore
import JSONStream

/// `feedcore show`
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print records of a feed.",
    discussion: """
      \(QueryOptions.discussion) --offset and --limit count the \
      matching records, or the values of --distinct; --count is of all matching records.

      EXAMPLES:
        feedcore show universities --limit 5
        feedcore show universities --where country=Brazil --count
        feedcore show universities --where 'name ~ tech' --sort -name --limit 3
        feedcore show universities --fields 'name,domains[0]' --format csv
        feedcore show universities --distinct country
        feedcore show universities --format ndjson | jq -r .name
      """)

  @Argument(help: ArgumentHelp("The feed.", valueName: "name"), completion: .feedNames)
  var name: String

  @OptionGroup var store: StoreOptions
  @OptionGroup var query: QueryOptions

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Sort by the value at this path; a minus sign before it reverses the order. May be given "
        + "several times.", valueName: "path"),
    completion: .sortPath)
  var sort: [String] = []

  @Option(help: ArgumentHelp("The maximum number of records to print.", valueName: "n"))
  var limit = 20

  @Option(help: ArgumentHelp("The number of records to skip first.", valueName: "n"))
  var offset = 0

  @Flag(help: "Print only how many records match.")
  var count = false

  @Option(
    help: ArgumentHelp(
      "Print the distinct values at this path and how often each occurs.", valueName: "path"),
    completion: .path)
  var distinct: String?

  @Option(help: ArgumentHelp("The format.", valueName: "format"))
  var format: ShowFormat?

  @Flag(help: "The same as --format json.")
  var json = false

  func validate() throws {
    guard limit >= 0, offset >= 0 else {
      throw ValidationError("--limit and --offset take no negative numbers")
    }
    guard !count || distinct == nil else {
      throw ValidationError("--count and --distinct exclude each other")
    }
    guard !json || format == nil || format == .json else {
      throw ValidationError("--json and another --format exclude each other")
    }
  }

  func run() throws {
    let feed = try store.feed(named: name)
    do {
      let asked = FeedQuery(
        where: query.conditions, sort: sort, offset: offset, limit: limit)
      let compiled = try CompiledQuery(asked, for: feed)
      let printer = QueryPrinter(
        feed, compiled, query.conditions, try query.selectedFields(of: feed),
        format ?? (json ? .json : .table))
      if count { return try printer.printCount() }
      if let distinct { return try printer.printDistinct(distinct) }
      try printer.printRecords()
    } catch let error as QueryError {
      throw Failure(error, in: query.conditions)
    }
  }
}
