import FeedStorage
import Foundation
import Testing

@Suite("Arguments that begin with a hyphen")
struct HyphenTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test("no feed gets a name that looks like an option")
  func newFeed() throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha"]))
    let outcome = try workspace.feedcore("ingest", file, "--feed=-a")
    #expect(outcome.status == 64)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.errors.hasPrefix("-a: the name begins with a hyphen"))
    #expect(!FileManager.default.fileExists(atPath: workspace.store))
  }

  #if Server
    @Test("a server makes no feed with such a name either")
    func servedFeed() throws {
      // A server that accepted the name would end because it has no credentials.
      let outcome = try workspace.feedcore(
        "serve", "--http", "0.0.0.0:0", "--origin=-a=http://127.0.0.1/")
      #expect(outcome.status == 64)
      #expect(outcome.errorLines.count == 1)
      #expect(outcome.errors.hasPrefix("-a: the name begins with a hyphen"))
      #expect(!FileManager.default.fileExists(atPath: workspace.store))
    }
  #endif

  @Test("a feed of another program with such a name is read and deleted after --")
  func foreignFeed() throws {
    let payload = Payload.universities(["Alpha"])
    var options = IngestOptions()
    options.feed = try FeedName("-a")
    let file = try workspace.file("payload.json", payload)
    _ = try FeedDatabase.open(at: workspace.store).ingest([file], options: options)
    #expect(try workspace.feedcore("feeds").output.contains("\n-a "))
    #expect(try workspace.feedcore("export", "--", "-a").output == payload)
    #expect(try workspace.feedcore("delete", "--", "-a").status == 0)
    #expect(try workspace.feeds().isEmpty)
  }

  @Test(
    "a hint for a name or a key that is read as an option proposes --",
    arguments: [
      (["show", "-x"], "feedcore show -- -x"), (["export", "-x.1"], "feedcore export -- -x.1"),
      (["delete", "-x", "--store", "y"], "feedcore delete -- -x …"),
      (["get", "universities", "-x"], "feedcore get … -- -x"),
      (["get", "-x", "Alpha"], "feedcore get -- -x …"),
      (["validate", "-x"], "feedcore validate -- -x"),
      (["images", "remove", "-x"], "feedcore images remove -- -x"),
      (["images", "cap", "1GB", "-x"], "feedcore images cap … -- -x"),
      (["images", "cap", "-1"], "feedcore images cap -- -1"),
      (["check", "-x"], "feedcore check -- -x"),
      (["detail", "x", "-1"], "feedcore detail … -- -1"),
    ])
  func hintOnArguments(_ arguments: [String], _ example: String) throws {
    let outcome = try workspace.feedcore(arguments)
    let word = try #require(arguments.first { $0.hasPrefix("-") })
    #expect(outcome.status == 64)
    #expect(
      outcome.errorLines.last
        == "Hint:  '\(word)' is read as an option; otherwise write -- before it: \(example)")
  }

  #if Remote
    @Test("a hint does not repeat other arguments, because a header field may be secret")
    func hintOfSecrets() throws {
      let outcome = try workspace.feedcore("load", "--header", "Authorization: secret", "-x")
      #expect(outcome.errors.hasSuffix("write -- before it: feedcore load … -- -x\n"))
      #expect(!outcome.errors.contains("secret"))
    }
  #endif

  @Test(
    "a hint for a value that is read as an option proposes an equals sign",
    arguments: [
      (["ingest", "x", "--feed", "-x"], "--feed=-x"),
      (["show", "x", "--where", "-x=1"], "--where=-x=1"),
      (["export", "x", "--output", "-x"], "--output=-x"),
    ])
  func hintOnValues(_ arguments: [String], _ example: String) throws {
    let outcome = try workspace.feedcore(arguments)
    let word = try #require(arguments.last)
    #expect(outcome.status == 64)
    #expect(
      outcome.errorLines.last
        == "Hint:  '\(word)' is read as an option; to use it as a value, write an equals sign:"
        + " \(example)")
  }

  #if Server
    @Test(
      "a hint for the service of a feed proposes an equals sign",
      arguments: ["--origin", "--policy"])
    func hintOnServed(_ option: String) throws {
      try hintOnValues(["serve", option, "-x=news"], "\(option)=-x=news")
    }
  #endif

  @Test(
    "other wrong usage has no such hint",
    arguments: [
      ["show"], ["show", "x", "--limit", "-1"], ["show", "x", "--nonsense"],
      ["check", "x", "--lanes", "99"], ["nonsense"], ["get", "--", "-x"],
    ])
  func noHint(_ arguments: [String]) throws {
    let outcome = try workspace.feedcore(arguments)
    #expect(outcome.status == 64)
    #expect(!outcome.errors.contains("Hint:"))
  }

  @Test(
    "a negative number is reported as such, and not as a missing value",
    arguments: [
      (["show", "x", "--limit"], "--limit and --offset take no negative numbers"),
      (["show", "x", "--offset"], "--limit and --offset take no negative numbers"),
      (["sample", "--kind", "news", "--records"], "--records takes no negative number"),
      (["check", "x", "--lanes"], "--lanes takes 1 to 8"),
      (["check", "x", "--max-depth"], "--max-depth takes 1 to 10000"),
      (["ingest", "x", "--skip-bad"], "The value '-1' is invalid for '--skip-bad <n|p%>'"),
      (["ingest", "x", "--if-generation"], "The value '-1' is invalid for '--if-generation <n>'"),
      (
        ["images", "put", "http://example.com/a", "x", "--expires-in"],
        "The value '-1' is invalid for '--expires-in <seconds>'"
      ),
    ])
  func negativeNumbers(_ arguments: [String], _ message: String) throws {
    let outcome = try workspace.feedcore(arguments + ["-1"])
    #expect(outcome.status == 64)
    #expect(outcome.errorLines.first == "Error: \(message)")
  }

  @Test("after -- a negative number is a name")
  func negativeName() throws {
    let outcome = try workspace.feedcore("check", "--json", "--", "-1")
    #expect(outcome.status == 66)
    #expect(outcome.errorLines == ["-1: no such file"])
  }
}
