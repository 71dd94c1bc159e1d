import Foundation
import TestSupport
import Testing

@Suite("Usage")
struct UsageTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test("the version includes the versions of YAJL and LMDB")
  func version() throws {
    let outcome = try workspace.feedcore("--version")
    #expect(outcome.status == 0)
    let pattern = #/FeedCore 0\.1\.0 \(YAJL 2\.\d+\.\d+, LMDB 0\.9\.\d+\)\n/#
    #expect(try pattern.wholeMatch(in: outcome.output) != nil, "\(outcome.output)")
  }

  @Test("help goes to standard output")
  func help() throws {
    let outcome = try workspace.feedcore("--help")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    for command in [
      "load", "comments", "ingest", "check", "feeds", "show", "get", "detail", "export", "delete",
      "validate", "images", "sample", "bench",
    ] {
      #expect(outcome.output.contains("  \(command) "))
    }
  }

  @Test(
    "wrong usage ends with 64 and makes no store",
    arguments: [
      ["nonsense"], ["ingest"], ["ingest", "x", "--kind", "recipes"], ["ingest", "x", "--what"],
      ["ingest", "x", "--timestamp", "yesterday"], ["ingest", "x", "--timestamp", "2020-05-20"],
      ["ingest", "x", "--timestamp", "2025-02-30T00:00:00Z"],
      ["ingest", "x", "--timestamp", "2025-04-31T00:00:00+02:00"],
      ["ingest", "x", "--timestamp", "2100-02-29T00:00:00Z"],
      ["ingest", "x", "--rejects", "y"], ["ingest", "x", "--durability", "some"], ["check"],
      ["check", "x", "--kind", "xml"], ["check", "-", "-"], ["ingest", "-", "-"],
      ["get", "universities"], ["show"], ["show", "x", "--limit=-1"],
      ["show", "x", "--format", "xml"], ["export"], ["delete"], ["sample", "--kind", "news"],
      ["sample", "--kind", "news", "--records=-1"], ["sample", "--records", "1"],
      ["bench", "parse", "-"], ["bench", "ingest", "-"], ["bench", "read", "x", "--feed", "y"],
      ["bench", "read", "--records", "0"], ["bench", "read", "x", "--records", "5"],
      ["bench", "read", "--feed", "x", "--kind", "news"], ["ingest", "x", "--store", ""],
      ["load", "x"], ["load", "x", "--url", "ftp://e.com/x"], ["load", "x", "--url", "feed.json"],
      ["load", "x", "--offline", "--policy", "mine"], ["comments"], ["detail", "x"],
      ["validate", "--policy", "mine"], ["images", "prefetch", "x", "--concurrency", "0"],
    ])
  func wrong(_ arguments: [String]) throws {
    let errors = workspace.path + "/errors"
    let command = try workspace.start(arguments, errors: .file(errors))
    #expect(command.wait() == 64)
    #expect(try !workspace.contents(errors).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: workspace.store))
  }

  #if Server
    @Test("the path of the authentication file must not be empty")
    func emptyCredentials() throws {
      let outcome = try workspace.feedcore("serve", "--auth-file", "")
      #expect(outcome.status == 64)
      #expect(outcome.errorLines.first == "Error: --auth-file: the path is empty")
    }

    @Test(
      "a feed has one service and one policy",
      arguments: [
        ["--origin", "x=http://127.0.0.1/a", "--origin", "x=http://127.0.0.1/b"],
        ["--policy", "x=news", "--policy", "x=essential"],
      ])
    func givenTwice(_ options: [String]) throws {
      let outcome = try workspace.feedcore(["serve", "--http", "127.0.0.1:0"] + options)
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("\(options[0]) is given twice for x"))
    }

    @Test(
      "a Unix socket must have a path, because permissions protect only a path",
      arguments: ["--http-socket", "--resp-socket"])
    func emptySocket(_ option: String) throws {
      let other = option == "--http-socket" ? "--resp-socket" : "--http-socket"
      try wrong(["serve", option, "", other, "/nowhere/socket"])
    }

    @Test(
      "a cache must have a valid size that fits into memory", arguments: ["9000TB", "-1", "many"])
    func cacheSize(_ size: String) throws {
      try wrong(["serve", "--resp-socket", "/nowhere/socket", "--cache", size])
    }

    @Test(
      "the URL of a proxy is a scheme, a host and a port, without a path",
      arguments: [
        "feeds.example.org", "ftp://feeds.example.org", "https://",
        "https://feeds.example.org/feeds",
        "https://feeds.example.org?a", "https://feeds.example.org#a",
        "https://me@feeds.example.org", "https://feeds.example.org:",
        "https://feeds.example.org:99999", "https://feeds.example.org ",
        "https://feeds.example.org\n", "https://feeds\".example.org",
      ])
    func publicURL(_ url: String) throws {
      try wrong(["serve", "--public-url", url])
    }

    @Test(
      "an allowed host is a name with an optional port",
      arguments: ["", "http://a", "a/b", "a b", "me@a", "a:", "a?b", "a:99999"])
    func allowedHost(_ host: String) throws {
      try wrong(["serve", "--allow-host", host])
    }

    @Test(
      "the origin of other pages is a scheme, a host and a port, or an asterisk",
      arguments: ["", "example.org", "https://", "https://a/b", "https://a b", "null", "https://*"])
    func origin(_ origin: String) throws {
      try wrong(["serve", "--cors", origin])
    }

    @Test(
      "the permissions of a socket are three octal digits and an existing group",
      arguments: [
        ["--socket-mode", "9"], ["--socket-mode", "888"], ["--socket-mode", "1777"],
        ["--socket-mode", "rw"], ["--socket-group", "no such group"],
      ])
    func socketPermissions(_ options: [String]) throws {
      try wrong(["serve", "--http-socket", workspace.path + "/http"] + options)
    }
  #endif

  @Test("a cluster without a node is unavailable, and a cluster URL with a password is refused")
  func clusterURL() throws {
    let away = try workspace.feedcore("feeds", "--store", "redis-cluster://127.0.0.1:9")
    #expect(away.status == 69)
    #expect(away.errors.contains("127.0.0.1:9: no connection (Connection refused)"))
    let secret = try workspace.feedcore("feeds", "--store", "redis://me:hidden@127.0.0.1:9")
    #expect(secret.status == 64)
    #expect(secret.errors.contains("--store-auth") && !secret.errors.contains("hidden"))
    for words in [["check"], ["check", "--remote"], ["stats"], ["copy", "--to", "other"]] {
      let outcome = try workspace.feedcore(["store"] + words + ["--store", "redis://127.0.0.1:9"])
      #expect(outcome.status == 69)
    }
    #expect(try workspace.feedcore("store", "check", "--remote").status == 64)
  }

  @Test(
    "a URL that is not that of a cluster is refused as a store",
    arguments: ["file:///tmp/store", "s3://bucket/x"])
  func storeURL(_ url: String) throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha"]))
    for outcome in [
      try workspace.feedcore("ingest", file, "--store", url),
      try workspace.feedcore("feeds", "--store", url),
      try workspace.feedcore("images", "put", "http://e.com/a", file, "--store", url),
      try workspace.feedcore("feeds", environment: ["FEEDCORE_STORE": url]),
      try workspace.feedcore("store", "check", "--store", url),
      try workspace.feedcore("store", "backup", url),
      try workspace.feedcore("store", "restore", url),
    ] {
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("\(url): the store of this command is a directory"))
    }
    let scheme = String(url.prefix { $0 != "/" })
    #expect(!FileManager.default.fileExists(atPath: scheme))
    let colon = "\(workspace.path)/a:b"
    #expect(try workspace.feedcore("ingest", file, "--store", colon).status == 0)
  }

  @Test("a shell completes the values of options with few values")
  func completions() throws {
    let script = try workspace.feedcore("--generate-completion-script", "bash").output
    let kinds = ["auto", "universities", "feed", "comments", "characters", "news", "json"]
    for values in [kinds, ["error", "first", "last"]] {
      let list = values.map { "'\($0)'" }.joined(separator: #"$'\n'"#)
      #expect(script.contains("-W \(list)\n"), "\(list)")
    }
  }

  @Test(
    "a feed's name is 1 to 64 of A-Z a-z 0-9 . _ - and starts with no dot",
    arguments: [
      "", ".hidden", "..", "a/b", "a b", "ü", "a\n", String(repeating: "a", count: 65),
    ])
  func badName(_ name: String) throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha"]))
    for outcome in [
      try workspace.feedcore("ingest", file, "--feed", name),
      try workspace.feedcore("show", name), try workspace.feedcore("delete", name),
      try workspace.feedcore("export", name), try workspace.feedcore("get", name, "Alpha"),
    ] {
      #expect(outcome.status == 64)
      #expect(outcome.errorLines.count == 1)
    }
    #expect(!FileManager.default.fileExists(atPath: workspace.store))
  }

  @Test(
    "these are valid names",
    arguments: ["a", "_", "A.b-c_9", "9", String(repeating: "z", count: 64)])
  func goodName(_ name: String) throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha"]))
    #expect(try workspace.feedcore("ingest", file, "--feed", name).status == 0)
    #expect(try workspace.feedcore("export", name).status == 0)
  }

  @Test(
    "help on an unknown command is wrong usage",
    arguments: [
      ["nosuch"], ["store", "nosuch"], ["ingest", "nosuch"], ["store", "stats", "nosuch"],
    ]
  )
  func helpOnNothing(_ words: [String]) throws {
    let outcome = try workspace.feedcore(["help"] + words)
    #expect(outcome.status == 64)
    #expect(outcome.output == "")
    #expect(outcome.errorLines.first == "Error: Unexpected argument 'nosuch'")
  }

  @Test(
    "help on a command equals the output of its --help option",
    arguments: [[], ["ingest"], ["store"], ["store", "stats"]])
  func helpOnCommand(_ words: [String]) throws {
    let outcome = try workspace.feedcore(["help"] + words)
    #expect(outcome.status == 0)
    #expect(outcome.output == (try workspace.feedcore(words + ["--help"]).output))
  }

  @Test(
    "an empty path is reported as such, for example from an unset shell variable",
    arguments: [
      (["ingest", ""], "<file>"), (["ingest", "x", ""], "<file>"), (["check", ""], "<file>"),
      (["ingest", "x", "--store", ""], "--store"), (["feeds", "--store", ""], "--store"),
      (["ingest", "x", "--skip-bad", "1", "--rejects", ""], "--rejects"),
      (["export", "x", "--output", ""], "--output"),
      (["images", "put", "http://example.com/a", ""], "<file>"),
      (["images", "get", "http://example.com/a", "--output", ""], "--output"),
      (["store", "backup", ""], "<dir>"), (["store", "restore", ""], "<dir>"),
      (["bench", "parse", ""], "<file>"), (["bench", "ingest", ""], "<file>"),
      (["bench", "read", ""], "<file>"),
    ])
  func emptyPath(_ arguments: [String], _ name: String) throws {
    let outcome = try workspace.feedcore(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.errorLines.first == "Error: \(name): the path is empty")
    #expect(!FileManager.default.fileExists(atPath: workspace.store))
  }

  @Test("an empty URL of an image is reported as such", arguments: ["get", "remove"])
  func emptyURL(_ command: String) throws {
    let outcome = try workspace.feedcore("images", command, "")
    #expect(outcome.status == 64)
    #expect(outcome.errorLines.first == "Error: <url>: the URL is empty")
    #expect(!FileManager.default.fileExists(atPath: workspace.store))
  }

  @Test("a timestamp may be on a leap day and have a zone")
  func timestamps() throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha"]))
    for (given, expected) in [
      ("2024-02-29T12:00:00Z", "2024-02-29T12:00:00Z"),
      ("2025-03-01T01:00:00+02:00", "2025-02-28T23:00:00Z"),
    ] {
      #expect(try workspace.feedcore("ingest", file, "--timestamp", given).status == 0)
      #expect(try workspace.feeds().first?["timestamp"] as? String == expected)
    }
  }

  @Test("a missing feed ends with 66", arguments: [true, false])
  func missingFeed(hasStore: Bool) throws {
    if hasStore { try workspace.publishUniversities(feed: "other") }
    for outcome in [
      try workspace.feedcore("show", "universities"),
      try workspace.feedcore("get", "universities", "Alpha"),
      try workspace.feedcore("export", "universities"),
      try workspace.feedcore("delete", "universities"),
    ] {
      #expect(outcome.status == 66)
      #expect(outcome.output == "")
      #expect(outcome.errorLines.count == 1)
    }
    #expect(FileManager.default.fileExists(atPath: workspace.store) == hasStore)
  }

  @Test("without a store there are no feeds, and a message states why")
  func noStore() throws {
    let table = try workspace.feedcore("feeds")
    #expect(table.status == 0)
    #expect(table.output == "")
    #expect(table.errorLines.count == 1)
    #expect(try workspace.feedcore("feeds", "--json").output == "[]\n")
    #expect(!FileManager.default.fileExists(atPath: workspace.store))
  }

  @Test("delete removes one feed and leaves the others")
  func delete() throws {
    try workspace.publishUniversities(feed: "one")
    try workspace.publishUniversities(feed: "two")
    let outcome = try workspace.feedcore("delete", "one")
    #expect(outcome.status == 0)
    #expect(outcome.output + outcome.errors == "")
    #expect(try workspace.records(of: "one") == nil)
    #expect(try workspace.records(of: "two") == 3)
    #expect(try workspace.feedcore("delete", "one").status == 66)
  }

  @Test("the store is --store, else $FEEDCORE_STORE, else in the XDG cache, else in ~/.cache")
  func storePlaces() throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha"]))
    let option = workspace.path + "/option"
    let cache = workspace.path + "/xdg"
    let home = workspace.path + "/home"
    let isStore = { (path: String) in
      FileManager.default.fileExists(atPath: path + "/feeds/data.mdb")
    }
    _ = try workspace.feedcore("ingest", file, "--store", option)
    #expect(isStore(option) && !isStore(workspace.store))
    _ = try workspace.feedcore("ingest", file, environment: ["XDG_CACHE_HOME": cache])
    #expect(isStore(workspace.store) && !isStore(cache + "/feedcore"))
    _ = try workspace.feedcore(
      "ingest", file, environment: ["FEEDCORE_STORE": "", "XDG_CACHE_HOME": cache, "HOME": home])
    #expect(isStore(cache + "/feedcore") && !isStore(home + "/.cache/feedcore"))
    _ = try workspace.feedcore(
      "ingest", file, environment: ["FEEDCORE_STORE": "", "XDG_CACHE_HOME": "xdg", "HOME": home])
    #expect(isStore(home + "/.cache/feedcore"))
  }

  @Test("a store that cannot be made, or is invalid, ends with 74")
  func impossibleStore() throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha"]))
    let inFile = try workspace.feedcore("ingest", file, "--store", file)
    #expect(inFile.status == 74)
    #expect(inFile.errorLines.count == 1)
    try workspace.publishUniversities()
    let data = workspace.store + "/feeds/data.mdb"
    try Data(repeating: 0xA5, count: 100_000).write(to: URL(fileURLWithPath: data))
    for outcome in [
      try workspace.feedcore("feeds"), try workspace.feedcore("show", "universities"),
      try workspace.feedcore("ingest", file),
    ] {
      #expect(outcome.status == 74)
      #expect(outcome.errorLines.count == 1)
    }
  }
}
