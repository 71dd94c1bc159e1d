import ArgumentParser
import FeedCore
import FeedStorage
import FeedTools
import JSONStream

/// `feedcore store check`
struct StoreCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Verify every page, checksum, index entry, image and sum of the store.",
    discussion: """
      Reads everything in a child process, because a damaged file can crash its reader. The exit \
      code is 0 if everything is sound, else 65 with a list of findings. --quarantine renames what \
      is damaged to NAME.corrupt-TIME, so that it is no longer used. Then restore a backup or \
      ingest again. For a cluster it verifies the near store; --remote verifies the cluster itself, \
      whose feeds it copies to a temporary store one by one.

      EXAMPLES:
        feedcore store check
        feedcore store check --json | jq '.[].findings'
        feedcore store check --quarantine
        feedcore store check --remote --store redis-cluster://127.0.0.1:7000
      """)

  @OptionGroup var store: StoreOptions

  @Flag(help: "Move what is damaged aside.")
  var quarantine = false

  @Flag(help: "Verify the feeds in the cluster instead of their copies.")
  var remote = false

  @Flag(help: "Print a JSON array with an object for each environment.")
  var json = false

  func validate() throws {
    guard remote else { return }
    guard store.isShared else {
      throw ValidationError("--remote: give the URL of a cluster with --store")
    }
    guard !quarantine else {
      throw ValidationError("--quarantine moves local files; leave it out with --remote")
    }
  }

  func run() throws {
    if remote {
      let reports = [try store.checkShared()]
      try write(reports)
      return try endIfDamaged(reports)
    }
    let directory = try store.localDirectory
    let names = FeedDatabase.environments(at: directory)
    guard !names.isEmpty else {
      // Opening distinguishes a store that does not exist from one that may not be read.
      _ = try store.openExisting()
      throw Failure(.noInput, "\(directory): there is no store")
    }
    // The findings apply to these files, even if they are replaced meanwhile.
    let files = try names.map { name in try FeedDatabase.dataFile(of: name, at: directory) }
    let reports = try names.map { name throws(Failure) in
      try StoreChild.check(name, at: directory)
    }
    try write(reports)
    if quarantine {
      for (report, file) in zip(reports, files) where !report.isSound {
        if let file { try moveAside(report.environment, directory, file) }
      }
    }
    try endIfDamaged(reports)
  }

  private func write(_ reports: [StoreCheckReport]) throws {
    let output = Output.standard()
    if json {
      output.write(JSONLine.array(reports.map(line)))
    } else {
      for report in reports { print(report, to: output) }
    }
    try output.finish()
  }

  private func endIfDamaged(_ reports: [StoreCheckReport]) throws(Failure) {
    guard reports.allSatisfy(\.isSound) else { throw Failure(.badData) }
  }

  private func moveAside(
    _ name: String, _ directory: String, _ file: String
  ) throws(Failure) {
    let path = try StoreChild.quarantine(name, at: directory, file)
    StandardStreams.complain(
      "\(directory)/\(name) is damaged and was moved to \(path); restore a backup with"
        + " `feedcore store restore DIR`, or \(name == "images" ? "fetch the images" : "ingest") again"
    )
  }

  private func print(_ report: StoreCheckReport, to output: Output) {
    guard report.isSound else {
      for finding in report.findings { output.write("\(report.environment): \(finding)\n") }
      return
    }
    var parts = ["sound"]
    if report.pages > 0 { parts.append(ReadableNumber.counted(report.pages, "page")) }
    if report.feeds > 0 {
      parts += [
        ReadableNumber.counted(report.feeds, "feed"),
        ReadableNumber.counted(report.records, "record"),
      ]
    }
    if report.images > 0 { parts.append(ReadableNumber.counted(report.images, "image")) }
    output.write("\(report.environment): \(parts.joined(separator: ", "))\n")
  }

  private func line(_ report: StoreCheckReport) -> JSONLine {
    var line = JSONLine()
    line.add("environment", report.environment)
    line.add("sound", report.isSound)
    line.add("pages", report.pages)
    line.add("feeds", report.feeds)
    line.add("blocks", report.blocks)
    line.add("records", report.records)
    line.add("images", report.images)
    line.add("findings", report.findings)
    return line
  }
}
