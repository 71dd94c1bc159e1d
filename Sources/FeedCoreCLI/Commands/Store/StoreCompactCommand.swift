import ArgumentParser
import FeedCore
import FeedTools
import JSONStream

/// `feedcore store compact`
struct StoreCompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Return the store's free pages to the disk.",
    discussion: """
      Writes a new file, which needs as much free space as the stored data. Meanwhile other \
      processes can read, and writers wait. Then all of them continue with the new file.

      EXAMPLES:
        feedcore store compact
      """)

  @OptionGroup var store: ChangedStoreOptions

  @Flag(help: "Print a JSON array with an object for each environment.")
  var json = false

  func run() throws {
    let reports = try store.openWhole().compact()
    let output = Output.standard()
    if json {
      output.write(JSONLine.array(reports.map(line)))
    } else {
      for report in reports {
        let before = ReadableNumber.bytes(report.bytesBefore)
        let after = ReadableNumber.bytes(report.bytesAfter)
        output.write("\(report.environment): \(before) to \(after)\n")
      }
    }
    try output.finish()
  }

  private func line(_ report: CompactionReport) -> JSONLine {
    var line = JSONLine()
    line.add("environment", report.environment)
    line.add("bytesBefore", report.bytesBefore)
    line.add("bytesAfter", report.bytesAfter)
    return line
  }
}
