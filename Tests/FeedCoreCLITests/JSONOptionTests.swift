import Foundation
import TestSupport
import Testing

@Suite("--json")
struct JSONOptionTests {
  /// Commands that write a payload, an image or a log, or have another option for the format.
  private static let others = ["export", "sample", "serve", "store follow", "images get"]

  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try workspace.publishUniversities()
  }

  @Test("is an option of every command that prints a report")
  func everywhere() throws {
    func commands(_ command: [String: Any], _ words: [String]) -> [(String, Bool)] {
      let parts = (command["subcommands"] as? [[String: Any]] ?? []).filter {
        $0["shouldDisplay"] as? Bool == true && $0["commandName"] as? String != "help"
      }
      guard parts.isEmpty else {
        return parts.flatMap { commands($0, words + [$0["commandName"] as? String ?? ""]) }
      }
      let options = (command["arguments"] as? [[String: Any]] ?? []).flatMap {
        $0["names"] as? [[String: Any]] ?? []
      }
      // A command that this build lacks has no options.
      let isAbsent = (command["abstract"] as? String ?? "").contains("Needs the package trait")
      return [
        (
          words.joined(separator: " "),
          isAbsent || options.contains { $0["name"] as? String == "json" }
        )
      ]
    }
    let dump = try workspace.feedcore("--experimental-dump-help").object()
    let all = commands(dump["command"] as? [String: Any] ?? [:], [])
    #expect(all.count > 25)
    #expect(
      Set(all.filter { !$0.1 }.map(\.0)).subtracting(Self.others) == [])
  }

  @Test("detail prints the record as get does")
  func detail() throws {
    let outcome = try workspace.feedcore("detail", "universities", "Beta", "--json")
    #expect(outcome.status == 0)
    #expect(
      outcome.output == (try workspace.feedcore("get", "universities", "Beta", "--json").output))
    #expect(try outcome.object()["name"] as? String == "Beta")
  }

  @Test("delete prints the deleted feed, and nothing if the feed is missing")
  func delete() throws {
    let outcome = try workspace.feedcore("delete", "universities", "--json")
    #expect(outcome.output == #"{"feed":"universities","deleted":true}"# + "\n")
    #expect(try workspace.records(of: "universities") == nil)
    let again = try workspace.feedcore("delete", "universities", "--json")
    #expect(again.status == 66)
    #expect(again.output == "")
  }

  @Test("the commands that change images print what they did")
  func images() throws {
    let url = "https://example.com/a.png"
    let file = try workspace.file("image", bytes: [1, 2, 3])
    let put = try workspace.feedcore("images", "put", url, file, "--cap", "2MiB", "--json").object()
    #expect(put["url"] as? String == url && put["bytes"] as? Int == 3)
    let cap = try workspace.feedcore("images", "cap", "--json").object()
    #expect(cap["byteCap"] as? Int == 2 << 20)
    #expect(try #require(cap["occupiedBytes"] as? Int) > 0)
    let removed = try workspace.feedcore("images", "remove", url, "--json").object()
    #expect(removed["url"] as? String == url && removed["removed"] as? Bool == true)
    #expect(try workspace.feedcore("images", "put", url, file).output == "")
    let swept = try workspace.feedcore("images", "sweep", "--json").object()
    #expect(Set(swept.keys) == ["removed", "expired", "damaged", "freedBytes"])
    #expect(swept["removed"] as? Int == 1)
  }
}
