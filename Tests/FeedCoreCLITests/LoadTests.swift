#if Remote
  import CourseSupport
  import FeedCore
  import Foundation
  import LoopbackServer
  import Synchronization
  import TestSupport
  import Testing

  @Suite("load", .timeLimit(.minutes(10)))
  struct LoadTests {
    let workspace: Workspace
    /// No process listens there.
    let nowhere = "http://127.0.0.1:1/feed"

    init() throws { workspace = try Workspace() }

    func payload(_ numbers: ClosedRange<Int>) -> String {
      let items = numbers.map { number in
        let digits = String(number + 1_000_000)
        return
          #"{"id":"59916DC3-F218-4838-A5DA-00000\#(digits)","image":"https://e.com/\#(number)"}"#
      }
      return #"{"items":["# + items.joined(separator: ",") + "]}"
    }

    /// Stores a feed of three images with an age in seconds.
    func insert(age: Double) throws {
      let images = (1...3).map { number in
        FeedImage(
          id: UUID(), description: nil, location: nil, url: URL(filePath: "/\(number)"))
      }
      try FeedDatabase.open(at: workspace.store).insert(
        images, into: try FeedName("feed"),
        referenceSeconds: Date().timeIntervalSinceReferenceDate - age)
    }

    @Test(
      "shows the latest feed and replaces the cached one",
      .course(.essential, "Image Feed, Narrative #1", "Online"))
    func online() async throws {
      try insert(age: 60)
      let body = payload(1...5)
      let server = try await LoopbackServer { _ in ServedResponse(text: body) }
      let outcome = try await workspace.served(
        "load", "feed", "--url", server.url("/feed").absoluteString)
      #expect(outcome.status == 0)
      #expect(outcome.errors == "")
      #expect(outcome.output.hasPrefix("feed: 5 records, "))
      #expect(try workspace.records(of: "feed") == 5)
      await server.stop()
    }

    @Test("an odd optional URL is kept and reported, and an image is fetched if it resolves")
    func optionalURLs() async throws {
      let images = [
        "", "//HOST/a%20[1].png", "/b c.png", "d.png?q[]=%20", "http://", "http://a b/",
        "http://HOST/é.png",
      ]
      let server = try await LoopbackServer { request in
        guard request.path.hasPrefix("/v2/top") else {
          return ServedResponse(fields: [("Content-Type", "image/gif")], text: "GIF89a")
        }
        let host = request.fields["host"] ?? ""
        let articles = images.enumerated().map { number, image in
          #"{"source":{"name":"n"},"title":"t","url":"https://e.com/\#(number)","#
            + #""urlToImage":"\#(image.replacing("HOST", with: host))","#
            + #""publishedAt":"2024-03-14T09:26:53Z"}"#
        }
        return ServedResponse(
          text: #"{"status":"ok","articles":["# + articles.joined(separator: ",") + "]}")
      }
      let loaded = try await workspace.served(
        "load", "news", "--url", server.url("/v2/top").absoluteString, "--json")
      #expect(loaded.status == 0)
      let ingest = try loaded.object()["ingest"] as? [String: Any]
      #expect(ingest?["records"] as? Int == 7)
      #expect(ingest?["unusableURLs"] as? Int == 3)
      let fetched = try await workspace.served("images", "prefetch", "news", "--json")
      #expect(try fetched.object()["fetched"] as? Int == 4)
      #expect(try fetched.object()["unusableURLs"] as? Int == 3)
      let targets = ["/a%20%5B1%5D.png", "/b%20c.png", "/v2/d.png?q%5B%5D=%20", "/%C3%A9.png"]
      #expect(Set(server.requests.dropFirst().map(\.target)) == Set(targets))
      await server.stop()
      let shown = try workspace.feedcore("show", "news", "--format", "ndjson")
      let kept = try shown.lines.map { line in
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      }
      let host = server.url("/").absoluteString.dropFirst("http://".count).dropLast()
      #expect(
        kept.map { $0?["urlToImage"] as? String }
          == images.map { $0.replacing("HOST", with: String(host)) })
      for image in [1, 2, 3, 6] {
        let text = try #require(kept[image]?["urlToImage"] as? String)
        #expect(try workspace.feedcore("images", "get", text, "--offline").output == "GIF89a")
      }
    }

    @Test("only invalid characters of a URL and a redirect are escaped in the request")
    func escapedURL() async throws {
      let body = payload(1...2)
      let server = try await LoopbackServer { request in
        request.path.hasPrefix("/m")
          ? .redirect(to: "/to%20[2]?x=%20|") : ServedResponse(text: body)
      }
      let root = String(server.url("/").absoluteString.dropLast())
      let outcome = try await workspace.served("load", "feed", "--url", root + "/m%20x[1]?q[]=%2F")
      #expect(outcome.status == 0)
      #expect(
        server.requests.map(\.target) == ["/m%20x%5B1%5D?q%5B%5D=%2F", "/to%20%5B2%5D?x=%20%7C"])
      await server.stop()
    }

    @Test(
      "caches the requested number of pages in one generation",
      arguments: [([], 3), (["--pages", "2"], 6), (["--pages", "all"], 7)])
    func pages(options: [String], count: Int) async throws {
      let server = try await LoopbackServer { PagedService.characters(7, pageSize: 3, $0) }
      let outcome = try await workspace.served(
        ["load", "characters", "--url", server.url("/api/character").absoluteString] + options)
      #expect(outcome.status == 0)
      #expect(outcome.output.hasPrefix("characters: \(count) records, "))
      #expect(outcome.output.contains("generation 1"))
      #expect(try workspace.records(of: "characters") == count)
      await server.stop()
    }

    @Test("refuses an invalid number of pages", arguments: ["0", "-1", "many", ""])
    func wrongPages(value: String) throws {
      let outcome = try workspace.feedcore(
        "load", "characters", "--url", nowhere, "--pages=\(value)")
      #expect(outcome.status == 64)
    }

    @Test(
      "shows a cached feed of less than seven days without a server, with its age and the cause",
      .course(.essential, "Image Feed, Narrative #2", "Offline, cache less than seven days old"))
    func offline() throws {
      try insert(age: 7 * 86_400 - 60)
      let outcome = try workspace.feedcore("load", "feed", "--url", nowhere)
      #expect(outcome.status == 0)
      #expect(outcome.output == "feed: 3 records, from the cache, 6 days old, generation 1\n")
      #expect(outcome.errorLines.count == 1)
      #expect(outcome.errors.hasPrefix("Couldn't connect to server: \(nowhere): "))
      let json = try workspace.feedcore("load", "feed", "--url", nowhere, "--json").object()
      #expect(json["origin"] as? String == "cache")
      #expect((json["error"] as? String)?.hasPrefix("Couldn't connect to server") == true)
      let asked = try workspace.feedcore("load", "feed", "--offline")
      #expect(asked.status == 0)
      #expect(asked.output == outcome.output)
      #expect(asked.errors == "")
    }

    @Test(
      "ends with 69 without a server if the cached feed is seven days old",
      .course(.essential, "Image Feed, Narrative #2", "Offline, cache seven days old or more"))
    func expired() throws {
      try insert(age: 7 * 86_400)
      for arguments in [["--url", nowhere], ["--offline"]] {
        let outcome = try workspace.feedcore(["load", "feed"] + arguments)
        #expect(outcome.status == 69)
        #expect(outcome.output == "")
        #expect(outcome.errors.hasPrefix("Couldn't connect to server: "))
        #expect(try workspace.records(of: "feed") == 3)
      }
      // By the policy of universities, the feed has not expired.
      let lasting = try workspace.feedcore(
        "load", "feed", "--url", nowhere, "--policy", "universities")
      #expect(lasting.status == 0)
      // The policy of 2020 deletes the feed.
      #expect(
        try workspace.feedcore("load", "feed", "--url", nowhere, "--policy", "feed2020").status
          == 69)
      #expect(try workspace.records(of: "feed") == nil)
    }

    @Test(
      "ends with 69 without a server and without a cached feed",
      .course(.essential, "Image Feed, Narrative #2", "Offline, cache empty"))
    func empty() throws {
      #expect(try workspace.feedcore("load", "feed", "--offline").status == 69)
      let outcome = try workspace.feedcore("load", "feed", "--url", nowhere)
      #expect(outcome.status == 69)
      #expect(outcome.errorLines.count == 1)
      #expect(outcome.errors.hasPrefix("Couldn't connect to server: "))
    }

    @Test("does not show a cached feed of another kind than the named one, and keeps it")
    func otherKind() throws {
      try insert(age: 60)
      for arguments in [["--url", nowhere], ["--offline"]] {
        let outcome = try workspace.feedcore(["load", "feed", "--kind", "comments"] + arguments)
        #expect(outcome.status == 69)
        #expect(outcome.output == "")
        #expect(outcome.errorLines.count == 1)
        #expect(
          try workspace.feedcore(["load", "feed", "--kind", "feed"] + arguments).status == 0)
      }
      #expect(try workspace.records(of: "feed") == 3)
    }

    @Test("draws its progress on a terminal, and removes it at the end")
    func progress() async throws {
      let body = Array(payload(1...50_000).utf8)
      let gate = Gate()
      let server = try await LoopbackServer { _ in
        ServedResponse(
          framing: .length(body.count),
          steps: [.bytes(Array(body.dropLast(9))), .wait(gate), .bytes(Array(body.suffix(9)))])
      }
      let terminal = try PseudoTerminal(columns: 70)
      let command = try workspace.start(
        ["load", "feed", "--url", server.url("/feed").absoluteString],
        errors: .descriptor(terminal.terminal), environment: ["TERM": "xterm"])
      // Without awaiting anything: other tests that wait for commands could block every thread of the
      // pool for longer than the command waits for the server.
      var screen = ""
      while !screen.contains("MB/s") {
        screen += terminal.output()
        guard command.isRunning else {
          Issue.record("it ended with \(command.wait()) and \(screen + terminal.output())")
          throw Workspace.Unexpected()
        }
        usleep(5_000)
      }
      gate.open()
      while command.isRunning {
        screen += terminal.output()
        usleep(5_000)
      }
      screen += terminal.output()
      #expect(command.wait() == 0)
      let lines = screen.components(separatedBy: "\r\u{1B}[K")
      #expect(lines.count > 2)
      #expect(lines.first == "")
      #expect(lines.last == "")
      #expect(lines.dropFirst().dropLast().allSatisfy { $0.hasSuffix("MB/s") && $0.count < 70 })
      await server.stop()
    }

    @Test("loads no feed whose name looks like an option")
    func hyphenatedName() throws {
      let outcome = try workspace.feedcore("load", "--url", nowhere, "--", "-a")
      #expect(outcome.status == 64)
      #expect(outcome.errors.hasPrefix("-a: the name begins with a hyphen"))
      #expect(!FileManager.default.fileExists(atPath: workspace.store))
    }

    @Test("verifies the header fields even if it sends no request")
    func headerOffline() throws {
      try workspace.publishUniversities()
      for arguments in [
        ["load", "universities", "--offline"],
        ["images", "get", "http://example.com/a", "--offline"],
      ] {
        let outcome = try workspace.feedcore(arguments + ["--header", "nonsense"])
        #expect(outcome.status == 64)
        #expect(outcome.errors == "--header: write a header field as NAME: VALUE\n")
        let missing = try workspace.feedcore(arguments + ["--header", "@/nowhere/fields"])
        #expect(missing.status == 66)
      }
    }

    @Test("sends the required header fields, and does not store or print them")
    func header() async throws {
      let body = payload(1...2)
      let server = try await LoopbackServer { request in
        let isKnown =
          request.fields["x-api-key"] == "secret" && request.fields["x-app"] == "one"
        return isKnown ? ServedResponse(text: body) : ServedResponse(401)
      }
      let url = server.url("/feed").absoluteString
      let file = "\(workspace.path)/header"
      try Data("X-Api-Key: secret\r\n\n".utf8).write(to: URL(filePath: file))
      let unknown = try await workspace.served("load", "feed", "--url", url, "-H", "X-App: one")
      #expect(unknown.status == 65)
      let outcome = try await workspace.served(
        "load", "feed", "--url", url, "--header", "@\(file)", "-H", "X-App:one")
      #expect(outcome.status == 0)
      #expect(outcome.errors == "")
      let feeds = try workspace.feedcore("feeds", "--json")
      #expect(!(outcome.output + feeds.output).contains("secret"))
      for arguments in [["-H", "secret"], ["-H", "@\(file)", "-H", "a secret: b"]] {
        let refused = try workspace.feedcore(["load", "feed", "--url", url] + arguments)
        #expect(refused.status == 64)
        #expect(refused.errors == "--header: write a header field as NAME: VALUE\n")
      }
      let missing = try workspace.feedcore("load", "feed", "--url", url, "-H", "@\(file)-none")
      #expect(missing.status == 66)
      await server.stop()
    }

    @Test("a date that is not ISO 8601 is invalid data, except with --dates lenient")
    func dates() async throws {
      let server = try await LoopbackServer { _ in
        ServedResponse(text: Payload.comment(date: "2020-05-20 11:24:59"))
      }
      let load = ["load", "comments", "--url", server.url("/x").absoluteString]
      for (options, status) in [
        ([], 65), (["--dates", "lenient"], 0),
        (["--policy", "news", "--dates", "lenient", "--kind", "comments"], 0),
        (["--dates", "strict", "--kind", "comments"], 0), (["--dates", "loose"], 64),
      ] as [([String], Int32)] {
        let outcome = try await workspace.served(load + options)
        #expect(outcome.status == status, "\(options): \(outcome.errors)")
      }
      let table = try workspace.feedcore("show", "comments", "--format", "ndjson")
      #expect(table.output.contains(#""created_at":"2020-05-20T11:24:59Z""#))
      await server.stop()
    }

    @Test("loads a compressed file as the feed in it")
    func packedFile() async throws {
      let packed = try Packed.gzip(Array(payload(1...5).utf8))
      let server = try await LoopbackServer { _ in
        ServedResponse(
          fields: [("Content-Type", "application/gzip")], steps: [.bytes(packed)])
      }
      let outcome = try await workspace.served(
        "load", "feed", "--url", server.url("/feed.json.gz").absoluteString)
      #expect(outcome.status == 0)
      #expect(try workspace.records(of: "feed") == 5)
      await server.stop()
    }

    @Test("loads a zstd file, and reports an xz file as such")
    func zstdFile() async throws {
      let packed = try Packed.zstd(Array(payload(1...5).utf8))
      let server = try await LoopbackServer { request in
        ServedResponse(
          steps: [.bytes(request.path == "/zst" ? packed : [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0])])
      }
      let url = server.url("/zst").absoluteString
      #expect(try await workspace.served("load", "feed", "--url", url).status == 0)
      #expect(try workspace.records(of: "feed") == 5)
      let other = server.url("/xz").absoluteString
      let outcome = try await workspace.served("load", "other", "--url", other)
      #expect(outcome.status == 65)
      #expect(outcome.errors.contains("is compressed by xz"))
      await server.stop()
    }

    @Test("a feed that has not changed is reported as unchanged, and gets a new timestamp")
    func unchanged() async throws {
      let body = payload(1...3)
      let server = try await LoopbackServer { request in
        request.fields["if-none-match"] == "\"x\""
          ? ServedResponse(304) : ServedResponse(fields: [("ETag", "\"x\"")], text: body)
      }
      let url = server.url("/feed").absoluteString
      #expect(try await workspace.served("load", "feed", "--url", url).status == 0)
      let outcome = try await workspace.served("load", "feed", "--url", url)
      #expect(outcome.output == "feed: 3 records, unchanged, generation 1\n")
      await server.stop()
    }

    @Test(
      "comments are printed and not cached, and are an error offline",
      .course(.essential, "Image Comments, Narrative", "Online"),
      .course(.essential, "Image Comments, Narrative", "Offline"))
    func comments() async throws {
      let server = try await LoopbackServer { request in
        request.path == "/comments"
          ? ServedResponse(201, text: Payload.comment()) : ServedResponse(300)
      }
      let url = server.url("/comments").absoluteString
      let table = try await workspace.served("comments", "--url", url)
      #expect(table.status == 0)
      #expect(table.lines.count == 2)
      #expect(table.lines.last?.contains(" days  u         m") == true)
      let json = try await workspace.served("comments", "--url", url, "--json")
      let list = try json.json() as? [[String: Any]]
      #expect(list?.first?["id"] as? String == Payload.identifier)
      #expect(
        try await workspace.served("comments", "--url", server.url("/x").absoluteString).status
          == 65)
      await server.stop()
      let offline = try await workspace.served("comments", "--url", url)
      #expect(offline.status == 69)
      #expect(offline.errors.hasPrefix("Couldn't connect to server: "))
      #expect(!FileManager.default.fileExists(atPath: workspace.store))
    }

    @Test("comments are cached when they are loaded as a feed, with any status from 200 to 299")
    func cachedComments() async throws {
      let server = try await LoopbackServer { _ in ServedResponse(201, text: Payload.comment()) }
      let url = server.url("/comments").absoluteString
      for arguments in [["comments"], ["mine", "--kind", "comments"]] {
        let outcome = try await workspace.served(["load"] + arguments + ["--url", url])
        #expect(outcome.status == 0)
      }
      await server.stop()
      let offline = try await workspace.served("load", "comments", "--url", url)
      #expect(offline.status == 0)
      #expect(offline.output.contains("from the cache"))
    }
  }
#endif
