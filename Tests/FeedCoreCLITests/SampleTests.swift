import Foundation
import Testing

@Suite("Sample and bench")
struct SampleTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test(
    "the same seed gives the same bytes, another one others",
    arguments: ["universities", "feed", "comments", "characters", "news"])
  func deterministic(_ kind: String) throws {
    let sample = { (seed: String) in
      try workspace.feedcore("sample", "--kind", kind, "--records", "40", "--seed", seed).bytes
    }
    #expect(try sample("7") == sample("7"))
    #expect(try sample("7") != sample("8"))
  }

  @Test("bench parse gives speeds and their ratios")
  func bench() throws {
    let file = try workspace.sample("universities", 2_000)
    let outcome = try workspace.feedcore("bench", "parse", file, "--json")
    #expect(outcome.status == 0)
    let result = try outcome.object()
    for key in [
      "yajlMBps", "oneLaneMBps", "lanesMBps", "jsonDecoderMBps", "oneLaneOverYajl",
      "lanesOverYajl", "lanesOverJSONDecoder", "gateGBps", "splitterGBps",
    ] {
      #expect(try #require(result[key] as? Double, "\(key)") > 0)
    }
    let text = try workspace.feedcore("bench", "parse", file)
    #expect(text.output.hasPrefix("\(file): universities, 2,000 records, "))
  }

  @Test("bench parse refuses what it cannot parse")
  func benchErrors() throws {
    #expect(try workspace.feedcore("bench", "parse", workspace.path + "/none").status == 66)
    let bad = try workspace.file("bad.json", "[1]")
    let outcome = try workspace.feedcore("bench", "parse", bad)
    #expect(outcome.status == 65)
    #expect(outcome.errors.hasPrefix("\(bad):1:2: "))
  }
}
