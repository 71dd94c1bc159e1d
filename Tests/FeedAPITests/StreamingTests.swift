#if Remote
  import FeedAPI
  import FeedFeature
  import FeedSchema
  import FeedTools
  import Foundation
  import JSONStream
  import LoopbackServer
  import Synchronization
  import TestSupport
  import Testing

  @Suite("A streamed feed", .timeLimit(.minutes(10)))
  struct StreamingTests {
    private static let university = """
      {"name":"University of the Loopback","country":"Chile","alpha_two_code":"CL",\
      "state-province":null,"domains":["loopback.cl"],"web_pages":["http://www.loopback.cl"]}
      """
    /// About 64 KiB of records, each followed by a comma.
    private static let run = Array(String(repeating: university + ",\n", count: 400).utf8)

    /// Runs in its own process: concurrent tests would add to the measured memory.
    @Test("needs no more memory if it is longer, plain or compressed")
    func memory() async {
      await #expect(processExitsWith: .success) {
        InheritedSockets.close()
        for isPacked in [false, true] { try await Self.measure(isPacked: isPacked) }
      }
    }

    private static func measure(isPacked: Bool) async throws {
      let pack: (String) throws -> [UInt8] = { text in
        isPacked ? try Packed.gzip(Array(text.utf8)) : Array(text.utf8)
      }
      let times = 6_000
      let run = isPacked ? try Packed.gzip(Self.run) : Self.run
      let steps: [ServedResponse.Step] = [
        .bytes(try pack("[")), .repeated(run, times: times),
        .bytes(try pack(Self.university + "]")),
      ]
      try await withServer { _ in
        ServedResponse(
          fields: isPacked ? [("Content-Encoding", "gzip")] : [], framing: .chunked, steps: steps)
      } _: { server, client in
        let watch = MemoryWatch()
        let before = watch.peak
        let loader = RemoteFeedLoader<University>(RemoteResource(server.url, client: client))
        let count = Mutex(0)
        let answer = try await loader.forEachBatch { batch in
          count.withLock { $0 += batch.count }
        }
        let peak = watch.peak
        let length = Self.run.count * times
        print(
          "of \(length >> 20) MiB: RssAnon \(before >> 20) MiB before, \(peak >> 20) MiB at most")
        #expect(count.withLock { $0 } == 400 * times + 1)
        #expect(answer.content?.bytes == length + Self.university.utf8.count + 2)
        // It is usually 3 MiB.
        #expect(peak - before < 32 << 20)
      }
    }

    @Test("delivers records before its end arrives, and does not finish if the connection drops")
    func asItArrives() async throws {
      let gate = Gate()
      try await withServer { _ in
        ServedResponse(
          framing: .length(1 << 30),
          steps: [.bytes([0x5B]), .repeated(Self.run, times: 8), .wait(gate), .drop])
      } _: { server, client in
        let resource = RemoteResource(server.url, client: client)
        let records = Mutex(0)
        let error = await remoteError {
          _ = try await RemoteFeedLoader<University>(resource).forEachBatch { batch in
            records.withLock { $0 += batch.count }
            gate.open()
          }
        }
        #expect(error?.kind == .connectivity)
        #expect(records.withLock { $0 } > 0)

        let finished = Mutex(false)
        let again = await remoteError {
          _ = try await resource.stream { _ in
          } finish: { _ in
            finished.withLock { $0 = true }
          }
        }
        #expect(again?.kind == .connectivity)
        #expect(finished.withLock { !$0 })
      }
    }

    @Test("ends with the consumer's error unchanged, and closes the connection")
    func takerThrows() async throws {
      struct Enough: Error {}
      let closed = Gate()
      try await withServer { _ in
        ServedResponse(
          framing: .chunked, steps: [.bytes(Self.run), .awaitClosing(closed)])
      } _: { server, client in
        let resource = RemoteResource(server.url, client: client)
        await #expect(throws: Enough.self) {
          _ = try await resource.stream { _ in
            throw Enough()
          } finish: { _ in
          }
        }
        await closed.wait()
      }
    }

    @Test("sends the fields of its request, and omits credentials and query from errors")
    func request() async throws {
      try await withServer { _ in
        ServedResponse(404)
      } _: { server, client in
        var parts = URLComponents(
          url: server.url("/feed?key=secret"), resolvingAgainstBaseURL: true)
        parts?.user = "me"
        parts?.password = "secret"
        let url = try #require(parts?.url)
        let resource = RemoteResource(
          FeedHTTPRequest(
            url, fields: ["Authorization": "Bearer 1", "accept-encoding": "identity"]),
          client: client)
        let error = await remoteError {
          _ = try await resource.stream(into: { _ in }, finish: { _ in })
        }
        let fields = try #require(server.requests.first?.fields)
        #expect(fields["authorization"] == "Bearer 1")
        #expect(fields["accept-encoding"] == "identity")
        #expect(fields["user-agent"] == "FeedCore")
        #expect(
          error?.description
            == "\(server.url("/feed").absoluteString): the service answered with status 404"
            + " (not found)")
      }
    }
  }
#endif
