import Foundation
import Testing

@Suite("Sample and bench")
struct SampleTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test(
    "the same seed gives the same bytes, and another seed gives other bytes",
    arguments: ["universities", "feed", "comments", "characters", "news"])
  func deterministic(_ kind: String) throws {
    let sample = { (seed: String) in
      try workspace.feedcore("sample", "--kind", kind, "--records", "40", "--seed", seed).bytes
    }
    #expect(try sample("7") == sample("7"))
    #expect(try sample("7") != sample("8"))
  }

  @Test("bench parse prints speeds and their ratios")
  func bench() throws {
    let file = try workspace.sample("universities", 2_000)
    let outcome = try workspace.feedcore("bench", "parse", file, "--json")
    #expect(outcome.status == 0)
    let result = try outcome.object()
    for key in [
      "yajlMBps", "oneLaneMBps", "lanesMBps", "jsonDecoderMBps", "oneLaneOverYajl",
      "oneLaneCPUOverYajl", "replayed", "learned", "lanesOverYajl",
      "lanesOverJSONDecoder", "inputValidationGBps", "splitterGBps",
    ] {
      #expect(try #require(result[key] as? Double, "\(key)") > 0)
    }
    let validated = ["replayed", "learned", "judged"].compactMap { result[$0] as? Int }
    #expect(validated.reduce(0, +) == 2_000)
    let text = try workspace.feedcore("bench", "parse", file)
    #expect(text.output.hasPrefix("\(file): universities, 2,000 records, "))
    let documents = try workspace.feedcore("bench", "parse", file, "--documents")
    #expect(documents.output.hasPrefix("\(file): json, 2,000 records, "))
  }

  @Test("bench read prints times and ratios for a file, a stored feed and a sample")
  func benchRead() throws {
    let file = try workspace.sample("comments", 2_000)
    try #require(try workspace.feedcore("ingest", file, "--feed", "stored").status == 0)
    let sources = [
      ([file], "comments"), (["--feed", "stored"], "comments"),
      (["--records", "2000"], "universities"), (["--kind", "news", "--records", "2000"], "news"),
    ]
    for (source, kind) in sources {
      let outcome = try workspace.feedcore(["bench", "read", "--json"] + source)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let result = try outcome.object()
      #expect(result["kind"] as? String == kind)
      #expect(result["records"] as? Int == 2_000)
      for work in ["lookup", "lookupInOneSnapshot", "miss", "keyScan", "recordScan", "imageRead"] {
        for key in ["\(work)Nanoseconds", "\(work)CNanoseconds"] {
          #expect(try #require(result[key] as? Double, "\(key)") > 0)
        }
      }
      for key in ["lookupTimeOverC", "missTimeOverC", "keyScanSpeedOverC", "imageReadTimeOverC"] {
        #expect(try #require(result[key] as? Double, "\(key)") > 0)
      }
    }
    let text = try workspace.feedcore("bench", "read", file)
    #expect(text.output.hasPrefix("\(file): comments, 2,000 records\n"))
  }

  @Test("bench read counts the records that do not fit into C's store")
  func benchReadLeftOut() throws {
    let names = ["twice", "once", "twice", String(repeating: "x", count: 512), "another"]
    let file = try workspace.file("names.json", Payload.universities(names))
    let text = try workspace.feedcore("bench", "read", file)
    #expect(text.output.hasPrefix("\(file): universities, 5 records, 3 not in C's store\n"))
    let none = try workspace.file("none.json", Payload.universities(["twice", "twice"]))
    #expect(try workspace.feedcore("bench", "read", none).status == 64)
    #expect(try workspace.feedcore("bench", "read", file, "--feed", "x").status == 64)
    #expect(try workspace.feedcore("bench", "read", "--feed", "x").status == 66)
  }

  @Test("bench ingest prints seconds, their ratio, and the bytes per record")
  func benchIngest() throws {
    let file = try workspace.sample("universities", 2_000)
    let outcome = try workspace.feedcore("bench", "ingest", file, "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let result = try outcome.object()
    for key in [
      "ingestSeconds", "afterReadingSeconds", "checkSeconds", "writeSeconds", "ingestOverSlower",
      "processorSeconds", "ingestOverBound", "bareBytesARecord",
    ] {
      #expect(try #require(result[key] as? Double, "\(key)") > 0)
    }
    // The stored bytes, compared with the bare names, lists and countries.
    #expect(try #require(result["storedOverBare"] as? Double) > 1)
    #expect(try #require(result["grownBytes"] as? Int) > 0)
    let bad = try workspace.file("bad.json", "[1,]")
    #expect(try workspace.feedcore("bench", "ingest", bad).status == 65)
  }

  @Test("bench parse refuses what it cannot parse")
  func benchErrors() throws {
    #expect(try workspace.feedcore("bench", "parse", workspace.path + "/none").status == 66)
    let bad = try workspace.file("bad.json", "[1 2]")
    let outcome = try workspace.feedcore("bench", "parse", bad)
    #expect(outcome.status == 65)
    #expect(outcome.errors.hasPrefix("\(bad):1:4: "))
  }
}
