#if Remote
  import FeedCore
  import Foundation
  import LoopbackServer
  import TestSupport
  import Testing

  @Suite("The limits of load", .timeLimit(.minutes(10)))
  struct LoadLimitTests {
    private let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private static func payload(_ numbers: some Sequence<Int>) -> String {
      let items = numbers.map { number in
        let digits = String(number + 1_000_000)
        return
          #"{"id":"59916DC3-F218-4838-A5DA-00000\#(digits)","image":"https://e.com/\#(number)"}"#
      }
      return #"{"items":["# + items.joined(separator: ",")
    }

    /// Loads the feed from a server that gives this response.
    private func load(
      _ response: ServedResponse, _ options: String...
    ) async throws -> Workspace.Outcome {
      let server = try await LoopbackServer { _ in response }
      let outcome = try await workspace.served(
        ["load", "feed", "--url", server.url("/feed").absoluteString] + options)
      await server.stop()
      return outcome
    }

    private func storeBytes() throws -> Int {
      let path = workspace.store + "/feeds/data.mdb"
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
      return size?.intValue ?? 0
    }

    @Test("an endless body is refused with 69, and later attempts reuse its space")
    func endless() async throws {
      let start = Array(Self.payload(0..<1000).utf8)
      let more = Array(("," + Self.payload(0..<1000).dropFirst(#"{"items":["#.count)).utf8)
      let response = ServedResponse(
        framing: .chunked, steps: [.bytes(start), .repeated(more, times: 1_000_000)])
      var sizes: [Int] = []
      for _ in 0..<4 {
        let outcome = try await load(response, "--max-body-bytes", "20MiB")
        #expect(outcome.status == 69)
        #expect(outcome.output == "")
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.contains("longer than the limit of 20971520 bytes"))
        #expect(outcome.errors.contains("--max-body-bytes"))
        #expect(try workspace.records(of: "feed") == nil)
        sizes.append(try storeBytes())
      }
      // Four bodies take the space of one, plus a little for the pages between them.
      #expect(sizes[3] < sizes[0] * 3 / 2, "\(sizes)")
    }

    @Test("a body that announces more than 4 GiB is refused before it is read")
    func announced() async throws {
      let response = ServedResponse(
        framing: .length(4 << 30 + 1), steps: [.bytes(Array(Self.payload(0..<9).utf8)), .drop])
      let outcome = try await load(response)
      #expect(outcome.status == 69)
      #expect(outcome.errors.contains("longer than the limit of 4294967296 bytes"))
    }

    @Test("a small body that decompresses to more than the limit is refused")
    func packed() async throws {
      let text = Self.payload(0..<2) + String(repeating: " ", count: 2 << 20) + "]}"
      let packed = try Packed.gzip(Array(text.utf8))
      #expect(packed.count < 100_000)
      for fields in [[("Content-Encoding", "gzip")], []] {
        let response = ServedResponse(fields: fields, steps: [.bytes(packed)])
        let outcome = try await load(response, "--max-body-bytes", "1MiB")
        #expect(outcome.status == 69)
        #expect(try workspace.records(of: "feed") == nil)
        #expect(try await load(response, "--max-body-bytes", "3MiB").status == 0)
        #expect(try workspace.feedcore("delete", "feed").status == 0)
      }
    }

    @Test(
      "a body of a byte a second ends with 69 after the time limit, and the cached feed is kept")
    func timeLimit() async throws {
      let whole = ServedResponse(text: Self.payload(0..<3) + "]}")
      #expect(try await load(whole, "--timeout", "60").status == 0)
      let slow = ServedResponse(framing: .chunked, steps: [.blanks])
      let cached = try await load(slow, "--timeout", "1.5")
      #expect(cached.status == 0)
      #expect(cached.output.contains("from the cache"))
      #expect(cached.errors.contains("it took longer than 1.5 seconds in all"))
      let missing = try await load(slow, "--timeout", "1.5", "--kind", "comments")
      #expect(missing.status == 69)
    }

    @Test(
      "invalid limits are wrong usage",
      arguments: [
        ["--timeout", "0"], ["--timeout", "-1"], ["--timeout", "x"], ["--max-body-bytes", "0"],
        ["--max-body-bytes", "1 foot"],
      ])
    func usage(options: [String]) throws {
      let url = "http://127.0.0.1:1/feed"
      #expect(try workspace.feedcore(["load", "feed", "--url", url] + options).status == 64)
    }
  }
#endif
