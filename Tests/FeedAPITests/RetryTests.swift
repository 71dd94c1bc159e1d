#if Remote
  import FeedAPI
  import FeedFeature
  import Foundation
  import LoopbackServer
  import Synchronization
  import Testing

  @Suite("A retrying client")
  struct RetryTests {
    private final class Waits: Sendable {
      let all = Mutex<[Duration]>([])

      /// A client that records its delays instead of waiting.
      func retrying(
        _ client: any FeedHTTPClient, _ policy: RetryPolicy = RetryPolicy(), random: Double = 1
      ) -> RetryingHTTPClient {
        RetryingHTTPClient(
          client, policy: policy,
          sleep: { duration in
            try Task.checkCancellation()
            self.all.withLock { $0.append(duration) }
          }, random: { range in range.upperBound * random })
      }

      var durations: [Duration] { all.withLock { $0 } }
    }

    @Test("gets the answer of the attempt that succeeds", arguments: [429, 502, 503, 504])
    func succeeds(status: Int) async throws {
      let count = Mutex(0)
      let waits = Waits()
      try await withServer { _ in
        let number = count.withLock { count in
          count += 1
          return count
        }
        return number < 3 ? ServedResponse(status) : ServedResponse(text: Payloads.universities)
      } _: { server, client in
        let loader = RemoteFeedLoader<University>(
          url: server.url, client: waits.retrying(client))
        let universities = try await loader.load()
        #expect(universities == Payloads.universityModels)
        #expect(server.requests.count == 3)
        #expect(waits.durations == [.milliseconds(250), .milliseconds(500)])
      }
    }

    @Test("delivers the last failure after its last attempt")
    func givesUp() async throws {
      let waits = Waits()
      try await withServer { _ in
        ServedResponse(503)
      } _: { server, client in
        let retrying = waits.retrying(client)
        let response = try await retrying.get(FeedHTTPRequest(server.url))
        #expect(response.status == 503)
        #expect(server.requests.count == 3)
        await server.stop()
        let error = await #expect(throws: TransportError.self) {
          try await retrying.get(FeedHTTPRequest(server.url))
        }
        #expect(error?.kind == .connection)
        #expect(waits.durations.count == 4)
      }
    }

    @Test(
      "does not retry after any other status", arguments: [200, 201, 304, 400, 401, 404, 500, 501])
    func otherStatus(code: Int) async throws {
      try await withServer { _ in
        ServedResponse(code)
      } _: { server, client in
        let retrying = Waits().retrying(client)
        let response = try await retrying.get(FeedHTTPRequest(server.url))
        #expect(response.status == code)
        #expect(server.requests.count == 1)
      }
    }

    @Test("does not retry once a part of the body has arrived")
    func halfABody() async throws {
      try await withServer { _ in
        ServedResponse(framing: .length(100), steps: [.bytes([0x5B]), .drop])
      } _: { server, client in
        let loader = RemoteFeedLoader<University>(
          url: server.url, client: Waits().retrying(client))
        let error = await remoteError { _ = try await loader.load() }
        #expect(error?.kind == .connectivity)
        #expect(server.requests.count == 1)
      }
    }

    @Test("does not retry a request that cannot be sent or is redirected in a circle")
    func lasting() async throws {
      try await withServer { _ in
        .redirect(to: "/")
      } _: { server, client in
        let waits = Waits()
        let retrying = waits.retrying(client)
        await #expect(throws: TransportError.self) {
          try await retrying.get(FeedHTTPRequest(server.url("/")))
        }
        await #expect(throws: TransportError.self) {
          try await retrying.get(FeedHTTPRequest(Payloads.url("ftp://service/")))
        }
        #expect(waits.durations.isEmpty)
      }
    }

    @Test(
      "waits as long as Retry-After asks for, within a bound",
      arguments: [
        ("2", [Duration.seconds(2), .seconds(2)]), ("0", [.milliseconds(250), .milliseconds(500)]),
        ("soon", [.milliseconds(250), .milliseconds(500)]),
        ("Sun, 06 Nov 1994 08:49:37 GMT", [.milliseconds(250), .milliseconds(500)]),
        ("31", []), ("9999999999999999999", []),
        ("Sun, 06 Nov 2094 08:49:37 GMT", []),
      ])
    func retryAfter(text: String, expected: [Duration]) async throws {
      try await withServer { _ in
        ServedResponse(503, fields: [("Retry-After", text)])
      } _: { server, client in
        let waits = Waits()
        let response = try await waits.retrying(client).get(FeedHTTPRequest(server.url))
        #expect(response.status == 503)
        #expect(waits.durations == expected)
      }
    }

    @Test("waits a random time up to a maximum, which doubles up to a bound")
    func jitter() async throws {
      try await withServer { _ in
        ServedResponse(503)
      } _: { server, client in
        var policy = RetryPolicy()
        policy.attempts = 5
        policy.firstDelay = .seconds(2)
        policy.maximumDelay = .seconds(6)
        for (random, expected) in [(1.0, [2, 4, 6, 6]), (0.5, [1, 2, 3, 3]), (0, [0, 0, 0, 0])] {
          let waits = Waits()
          _ = try await waits.retrying(client, policy, random: random)
            .get(FeedHTTPRequest(server.url))
          #expect(waits.durations == expected.map { .seconds($0) })
        }
      }
    }

    @Test("can be cancelled while it waits")
    func cancelled() async throws {
      try await withServer { _ in
        ServedResponse(503)
      } _: { server, client in
        var policy = RetryPolicy()
        policy.firstDelay = .seconds(3600)
        policy.maximumDelay = .seconds(3600)
        let waiting = Gate()
        let retrying = RetryingHTTPClient(
          client, policy: policy,
          sleep: { duration in
            waiting.open()
            try await Task.sleep(for: duration)
          }, random: { $0.upperBound })
        let load = Task { try await retrying.get(FeedHTTPRequest(server.url)) }
        await waiting.wait()
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
      }
    }
  }
#endif
