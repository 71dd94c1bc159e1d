import ArgumentParser
import FeedCore
import JSONStream

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `feedcore validate`
struct ValidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Delete the feeds that have expired or cannot be read.",
    discussion: """
      Prints for each feed whether it is valid, expired, unreadable or absent.

      EXAMPLES:
        feedcore validate
        feedcore validate news --policy news --json | jq -r '.[].found'
      """)

  @Argument(
    help: ArgumentHelp("The feed. By default all feeds.", valueName: "name"),
    completion: .feedNames)
  var name: String?

  @Option(
    help: ArgumentHelp(
      "The policy that decides how long a feed is valid. By default that of its kind's app.",
      valueName: "policy"))
  var policy: PolicyName?

  @OptionGroup var store: ChangedStoreOptions

  @Flag(help: "Print a JSON array with an object for each feed.")
  var json = false

  private struct Finding {
    let name: FeedName
    let validation: CacheValidation
  }

  func run() throws {
    let name = try name.map { text throws(Failure) in try FeedName(argument: text) }
    guard let database = try store.openIfExists() else {
      return try print(name.map { [Finding(name: $0, validation: .absent)] } ?? [])
    }
    var findings: [Finding] = []
    var failure: Failure?
    for name in try name.map({ [$0] }) ?? database.feedNames() {
      do throws(StoreError) {
        findings.append(
          Finding(
            name: name,
            validation: try database.validateCache(of: name, policy: policy(of: name, database))))
      } catch {
        // A failure with one feed, such as a concurrent change, does not stop the validation of the
        // others.
        if let failure { failure.report() }
        failure = Failure(error)
      }
    }
    try print(findings)
    if let failure { throw failure }
  }

  private func policy(of name: FeedName, _ database: FeedDatabase) -> CachePolicy {
    if let policy { return policy.policy }
    // A feed that cannot be read gets the default policy, because its age does not matter.
    let feed = try? database.feedDescription(named: name)
    return feed.map { CachePolicy.preset(ofKind: $0.kind) } ?? .essential
  }

  private func print(_ findings: [Finding]) throws(Failure) {
    let output = Output.standard()
    if json {
      output.write(JSONLine.array(findings.map(line)))
    } else {
      for finding in findings { output.write("\(finding.name): \(words(finding.validation))\n") }
    }
    try output.finish()
  }

  private func words(_ validation: CacheValidation) -> String {
    switch validation {
    case .absent, .valid: validation.rawValue
    case .expired, .unreadable: "\(validation.rawValue), deleted"
    }
  }

  private func line(_ finding: Finding) -> JSONLine {
    var line = JSONLine()
    line.add("feed", finding.name.text)
    line.add("found", finding.validation.rawValue)
    return line
  }
}
