#if Remote
  import FeedCore
  import Foundation
  import LoopbackServer
  import TestSupport
  import Testing

  @Suite("Images from their services", .timeLimit(.minutes(10)))
  struct PrefetchTests {
    private let workspace: Workspace
    private let memory: TemporaryDirectory
    /// The servers of these tests are on the loopback address.
    private let prefetch = ["images", "prefetch", "feed", "--allow-private-images"]

    init() throws {
      workspace = try Workspace()
      memory = try TemporaryDirectory(inMemory: true)
    }

    private static func bytes(_ path: String) -> [UInt8] {
      let text = Array((path + "\n").utf8)
      var bytes: [UInt8] = []
      while bytes.count < 16_384 { bytes += text }
      return bytes
    }

    /// A feed with a number of images of a server.
    private func insert(_ count: Int, _ server: LoopbackServer, into store: String) throws -> [URL]
    {
      let urls = (0..<count).map { server.url("/images/\($0)") }
      try FeedDatabase.open(at: store).insert(
        urls.map { FeedImage(id: UUID(), description: nil, location: nil, url: $0) },
        into: try FeedName("feed"), referenceSeconds: 0)
      return urls
    }

    /// The anonymous memory of a process in bytes, if the system reports it.
    private func anonymousMemory(of command: RunningCommand) -> Int {
      let status = try? String(contentsOfFile: "/proc/\(command.process)/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
      let words = line?.split(whereSeparator: \.isWhitespace) ?? []
      return words.count > 1 ? (Int(words[1]) ?? 0) << 10 : 0
    }

    @Test("ten thousand are fetched once each, in bounded memory, and are available offline")
    func prefetch() async throws {
      let server = try await LoopbackServer { request in
        ServedResponse(steps: [.bytes(Self.bytes(request.path))])
      }
      let store = memory.path + "/store"
      let urls = try insert(10_000, server, into: store)
      var peak = 0
      let outcome = try await workspace.served(
        prefetch + ["--concurrency", "64", "--store", store, "--json"]
      ) { command in
        peak = max(peak, anonymousMemory(of: command))
      }
      print("RssAnon of the prefetch was \(peak >> 20) MiB at most")
      #expect(outcome.status == 0)
      #expect(try outcome.object()["fetched"] as? Int == 10_000)
      let asked = server.requests.map(\.path)
      #expect(asked.count == 10_000)
      #expect(Set(asked).count == 10_000)
      // All images take 160 MiB.
      #expect(peak < 64 << 20)
      await server.stop()
      let images = try ImageStore.open(at: store)
      for url in urls {
        #expect(try images.retrieve(dataForURL: url) == Data(Self.bytes(url.path)))
      }
      let again = try workspace.feedcore(
        prefetch + ["--concurrency", "64", "--store", store, "--json"])
      #expect(again.status == 0)
      #expect(try again.object()["cached"] as? Int == 10_000)
    }

    @Test("prefetch ends with 69 if no image can be fetched, and reports ten of the failures")
    func failures() async throws {
      let server = try await LoopbackServer { request in
        request.path == "/images/0" ? ServedResponse(text: "image") : ServedResponse(404)
      }
      let urls = try insert(20, server, into: workspace.store)
      let outcome = try await workspace.served(prefetch)
      #expect(outcome.status == 0)
      #expect(outcome.output.hasPrefix("feed: 1 image fetched, 0 already stored, 19 failed, "))
      #expect(outcome.errorLines.count == 11)
      #expect(outcome.errorLines.last == "9 other images failed")
      await server.stop()
      let offline = try await workspace.served(prefetch)
      #expect(offline.status == 69)
      #expect(offline.errors.hasPrefix("Couldn't connect to server: "))
      #expect(try workspace.feedcore("images", "get", urls[0].absoluteString).output == "image")
    }

    @Test("prefetch refuses private addresses, except those of the feed's own service")
    func privateAddresses() async throws {
      let other = try await LoopbackServer { _ in ServedResponse(text: "image") }
      let otherURL = other.url("/1").absoluteString
      let server = try await LoopbackServer { request in
        guard request.path == "/feed" else { return ServedResponse(text: "image") }
        let own = "http://\(request.fields["host"] ?? "")/2"
        let items = [otherURL, own].map {
          #"{"id":"\#(UUID().uuidString)","image":"\#($0)"}"#
        }
        return ServedResponse(text: #"{"items":["# + items.joined(separator: ",") + "]}")
      }
      let url = server.url("/feed").absoluteString + "?key=1"
      #expect(try await workspace.served("load", "feed", "--url", url).status == 0)
      let outcome = try await workspace.served("images", "prefetch", "feed")
      #expect(outcome.status == 0)
      #expect(outcome.output.hasPrefix("feed: 1 image fetched, 0 already stored, 1 failed, "))
      #expect(outcome.errors.contains("127.0.0.1 is not at a public address"))
      #expect(other.requests.isEmpty)
      let allowed = try await workspace.served(prefetch)
      #expect(allowed.output.hasPrefix("feed: 1 image fetched, 1 already stored, 0 failed, "))
      await server.stop()
      await other.stop()
    }

    @Test("Ctrl-C ends a prefetch with 130, and every stored image is complete")
    func interrupted() async throws {
      let sent = Gate()
      let never = Gate()
      let server = try await LoopbackServer { request in
        let bytes = Self.bytes(request.path)
        guard request.path.hasSuffix("9") else { return ServedResponse(steps: [.bytes(bytes)]) }
        return ServedResponse(
          framing: .length(bytes.count),
          steps: [.bytes(Array(bytes.prefix(9_000))), .note { sent.open() }, .wait(never)])
      }
      let urls = try insert(200, server, into: workspace.store)
      let errors = workspace.path + "/errors"
      let command = try workspace.start(prefetch, errors: .file(errors))
      await sent.wait()
      command.send(SIGINT)
      #expect(try await command.waitWithoutBlocking() == 130)
      never.open()
      let images = try ImageStore.open(at: workspace.store)
      for url in urls {
        let data = try images.retrieve(dataForURL: url)
        #expect(data == nil || data == Data(Self.bytes(url.path)))
        if url.path.hasSuffix("9") { #expect(data == nil) }
      }
      await server.stop()
    }

    @Test("get reads an image from the store, else fetches and stores it")
    func get() async throws {
      let server = try await LoopbackServer { request in
        request.path == "/a" ? ServedResponse(text: "image") : ServedResponse(404)
      }
      let url = server.url("/a").absoluteString
      #expect(try await workspace.served("images", "get", url, "--offline").status == 66)
      let fetched = try await workspace.served("images", "get", url)
      #expect(fetched.status == 0)
      #expect(fetched.output == "image")
      let missing = try await workspace.served("images", "get", server.url("/b").absoluteString)
      #expect(missing.status == 65)
      await server.stop()
      #expect(try workspace.feedcore("images", "get", url).output == "image")
      #expect(try workspace.feedcore("images", "get", url, "--offline").output == "image")
      let unreachable = try workspace.feedcore("images", "get", server.url("/b").absoluteString)
      #expect(unreachable.status == 69)
      #expect(unreachable.output == "")
      #expect(server.requests.count == 2)
    }
  }
#endif
