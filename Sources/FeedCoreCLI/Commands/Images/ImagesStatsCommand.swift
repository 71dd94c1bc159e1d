import ArgumentParser
import FeedCore
import FeedTools
import JSONStream

/// `feedcore images stats`
struct ImagesStatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats", abstract: "Show the number of images, their bytes, and hits and misses.",
    discussion: """
      EXAMPLES:
        feedcore images stats
        feedcore images stats --json | jq .evictions
      """)

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print a JSON object.")
  var json = false

  func run() throws {
    let statistics = try store.openExistingImages().statistics()
    let output = Output.standard()
    if json {
      output.write(line(statistics))
    } else {
      printText(statistics, to: output)
    }
    try output.finish()
  }

  private func printText(_ statistics: ImageStatistics, to output: Output) {
    let lines = [
      ("images", ReadableNumber.grouped(statistics.imageCount)),
      ("bytes", ReadableNumber.bytes(statistics.byteCount)),
      ("occupied", ReadableNumber.bytes(statistics.occupiedBytes)),
      ("cap", ReadableNumber.bytes(statistics.byteCap)),
      ("file", ReadableNumber.bytes(statistics.fileBytes)),
      ("free", ReadableNumber.bytes(statistics.freeBytes)),
      ("insertions", ReadableNumber.grouped(statistics.insertions)),
      ("evictions", ReadableNumber.grouped(statistics.evictions)),
      ("hits", statistics.lookups.map { ReadableNumber.grouped($0.hits) } ?? "-"),
      ("misses", statistics.lookups.map { ReadableNumber.grouped($0.misses) } ?? "-"),
    ]
    for (name, value) in lines { output.write("\(name): \(value)\n") }
  }

  private func line(_ statistics: ImageStatistics) -> JSONLine {
    var line = JSONLine()
    line.add("images", statistics.imageCount)
    line.add("bytes", statistics.byteCount)
    line.add("occupiedBytes", statistics.occupiedBytes)
    line.add("byteCap", statistics.byteCap)
    line.add("fileBytes", statistics.fileBytes)
    line.add("freeBytes", statistics.freeBytes)
    line.add("insertions", statistics.insertions)
    line.add("evictions", statistics.evictions)
    line.add("hits", statistics.lookups?.hits)
    line.add("misses", statistics.lookups?.misses)
    return line
  }
}
