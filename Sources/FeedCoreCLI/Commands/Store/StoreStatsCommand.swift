import ArgumentParser
import FeedCore
import FeedTools
import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `feedcore store stats`
struct StoreStatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Show the sizes of the store's files, their readers, and hits and misses.",
    discussion: """
      Hits are look-ups by key that found records, and reads that found images, of all processes. \
      They are counted in memory, so a crash of the system loses some of them. For a cluster it \
      also shows the nodes, and how many feeds the near store lacks or has in an older state.

      EXAMPLES:
        feedcore store stats
        feedcore store stats --json | jq '.environments[0].fileBytes'
      """)

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    #if Cluster
      let shared = try store.sharedStatistics()
    #endif
    let statistics = try store.openWhole().statistics()
    let output = Output.standard()
    if json {
      var line = line(statistics)
      #if Cluster
        if let shared { line.add("cluster", shared.line) }
      #endif
      output.write(line)
    } else {
      #if Cluster
        shared?.write(to: output)
      #endif
      printTable(statistics, to: output)
    }
    try output.finish()
  }

  private func printTable(_ statistics: StoreStatistics, to output: Output) {
    let table = TextTable(
      [
        ("environment", .left), ("file", .right), ("live", .right), ("free", .right),
        ("hits", .right), ("misses", .right), ("readers", .right), ("oldest reader", .left),
      ], columns: StandardStreams.columns, output: output)
    for environment in statistics.environments {
      table.add([
        environment.name, ReadableNumber.bytes(environment.fileBytes),
        ReadableNumber.bytes(environment.liveBytes), ReadableNumber.bytes(environment.freeBytes),
        count(environment.lookups?.hits), count(environment.lookups?.misses),
        "\(readers(of: environment).count)", oldest(environment),
      ])
    }
    table.finish()
    output.write(
      "\ngenerations: \(statistics.publishedGenerations) published,"
        + " \(statistics.buildingGenerations) being built, \(statistics.deadGenerations) dead\n")
  }

  private func count(_ number: Int?) -> String { number.map(ReadableNumber.grouped) ?? "-" }

  private func oldest(_ environment: StoreStatistics.Environment) -> String {
    guard let reader = readers(of: environment).oldest, let lag = reader.lag else { return "-" }
    return "process \(reader.process), \(ReadableNumber.counted(lag, "commit")) old"
  }

  /// The readers other than this command, which is a reader itself.
  private func readers(of environment: StoreStatistics.Environment) -> [StoreStatistics.Reader] {
    environment.readers.filter { $0.process != getpid() }
  }

  private func line(_ statistics: StoreStatistics) -> JSONLine {
    var generations = JSONLine()
    generations.add("published", statistics.publishedGenerations)
    generations.add("building", statistics.buildingGenerations)
    generations.add("dead", statistics.deadGenerations)
    var line = JSONLine()
    line.add("environments", statistics.environments.map(self.line))
    line.add("generations", generations)
    return line
  }

  private func line(_ environment: StoreStatistics.Environment) -> JSONLine {
    var line = JSONLine()
    line.add("environment", environment.name)
    line.add("fileBytes", environment.fileBytes)
    line.add("liveBytes", environment.liveBytes)
    line.add("freeBytes", environment.freeBytes)
    line.add("readers", readers(of: environment).map(self.line))
    line.add("oldestReader", readers(of: environment).oldest.map(self.line))
    line.add("lookups", environment.lookups.map(self.line))
    return line
  }

  private func line(_ lookups: StoreStatistics.Lookups) -> JSONLine {
    var line = JSONLine()
    line.add("hits", lookups.hits)
    line.add("misses", lookups.misses)
    return line
  }

  private func line(_ reader: StoreStatistics.Reader) -> JSONLine {
    var line = JSONLine()
    line.add("process", reader.process)
    line.add("lag", reader.lag)
    return line
  }
}
