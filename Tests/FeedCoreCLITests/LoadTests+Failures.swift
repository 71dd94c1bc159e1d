#if Remote
  import Foundation
  import LoopbackServer
  import Synchronization
  import TestSupport
  import Testing

  // Services that fail, and loads that are interrupted.
  extension LoadTests {
    @Test("ends with 65 for invalid data without a cached feed, else shows the cached feed")
    func invalidData() async throws {
      let body = String(payload(1...3).dropLast(2)) + ",{}]}"
      let server = try await LoopbackServer { request in
        request.path == "/feed" ? ServedResponse(text: body) : ServedResponse(404)
      }
      for path in ["/feed", "/none"] {
        let outcome = try await workspace.served(
          "load", "feed", "--url", server.url(path).absoluteString)
        #expect(outcome.status == 65)
        #expect(outcome.errors.hasPrefix("Invalid data: \(server.url(path).absoluteString)"))
      }
      try insert(age: 60)
      let outcome = try await workspace.served(
        "load", "feed", "--url", server.url("/feed").absoluteString)
      #expect(outcome.status == 0)
      #expect(outcome.output.contains("from the cache"))
      #expect(outcome.errors.hasPrefix("Invalid data: "))
      await server.stop()
    }

    @Test("reports a status with the service's message, and waits as long as the service asks")
    func status() async throws {
      let body = payload(1...5)
      let requests = Mutex(0)
      let server = try await LoopbackServer { request in
        guard request.path == "/feed" else {
          return ServedResponse(401, text: #"{"code":"keyInvalid","message":"No such key."}"#)
        }
        let isFirst = requests.withLock { count in
          count += 1
          return count == 1
        }
        return isFirst
          ? ServedResponse(429, fields: [("Retry-After", "1")]) : ServedResponse(text: body)
      }
      let url = server.url("/feed").absoluteString
      // The timeout leaves no time for a second request.
      let hasty = try await workspace.served("load", "feed", "--url", url, "--timeout", "0.9")
      #expect(hasty.status == 65)
      let words = "status 429 (too many requests) (it may be asked again after 1 s)"
      #expect(hasty.errors.contains(words))
      requests.withLock { $0 = 0 }
      let began = ContinuousClock.now
      #expect(try await workspace.served("load", "feed", "--url", url).status == 0)
      #expect(.now - began >= .seconds(1))
      let other = server.url("/other").absoluteString
      let refused = try await workspace.served("load", "other", "--url", other)
      #expect(refused.status == 65)
      #expect(
        refused.errors == "Invalid data: \(other): the service answered with status 401"
          + " (unauthorized): keyInvalid: No such key.\n")
      await server.stop()
    }

    @Test("ends with 65 if the service reports a failure, and keeps the cached feed")
    func failedAnswer() async throws {
      let server = try await LoopbackServer { _ in
        ServedResponse(
          text: #"{"status":"error","code":"tooMany","message":"Wait\n a day.","articles":[]}"#)
      }
      let load = ["load", "news", "--url", server.url("/news").absoluteString]
      let first = try await workspace.served(load)
      #expect(first.status == 65)
      #expect(try workspace.records(of: "news") == nil)
      let articles = try workspace.file(
        "news.json",
        #"{"articles":[{"source":{"name":"S"},"title":"T","url":"https://e.com/1","#
          + #""publishedAt":"2020-05-20T11:24:59Z"}]}"#)
      #expect(try workspace.feedcore("ingest", articles).status == 0)
      let before = try workspace.snapshot()
      let outcome = try await workspace.served(load)
      #expect(outcome.status == 65)
      #expect(outcome.output.contains("from the cache"))
      #expect(outcome.errorLines.count == 1)
      let words = #"the service answers that it failed: tooMany: Wait\n a day."#
      #expect(outcome.errors.contains(words))
      #expect(try workspace.snapshot() == before)
      await server.stop()
    }

    @Test("Ctrl-C in the middle of a body ends it with 130, and the cached feed is whole")
    func interrupted() async throws {
      try insert(age: 60)
      let before = try workspace.snapshot()
      let (sent, closed) = (Gate(), Gate())
      let body = Array(payload(1...1_000).utf8)
      let server = try await LoopbackServer { _ in
        ServedResponse(
          framing: .length(body.count),
          steps: [.bytes(Array(body.dropLast(9))), .note { sent.open() }, .awaitClosing(closed)])
      }
      let errors = workspace.path + "/errors"
      let command = try workspace.start(
        ["load", "feed", "--url", server.url("/feed").absoluteString], errors: .file(errors))
      await sent.wait()
      command.send(SIGINT)
      await closed.wait()
      #expect(command.wait() == 130)
      let text = String(decoding: try workspace.contents(errors), as: UTF8.self)
      #expect(text == "interrupted; nothing was cached\n")
      #expect(try workspace.snapshot() == before)
      await server.stop()
    }

    @Test("Ctrl-C in the middle of a slow body leaves no generation that is being built")
    func interruptedWhileBuilding() async throws {
      try insert(age: 60)
      let (never, closed) = (Gate(), Gate())
      let body = Array(payload(1...50_000).utf8)
      let server = try await LoopbackServer { _ in
        ServedResponse(
          framing: .length(body.count),
          steps: [.bytes(Array(body.dropLast(9))), .awaitClosing(closed), .wait(never)])
      }
      let command = try workspace.start(
        ["load", "feed", "--url", server.url("/feed").absoluteString])
      while try await generations() != ["published": 1, "building": 1, "dead": 0] {
        guard command.isRunning else { throw Workspace.Unexpected() }
      }
      command.send(SIGINT)
      #expect(command.wait() == 130)
      #expect(try await generations() == ["published": 1, "building": 0, "dead": 0])
      never.open()
      await server.stop()
    }

    /// A count of `store stats`.
    private func generations() async throws -> [String: Int]? {
      try await workspace.served("store", "stats", "--json").object()["generations"]
        as? [String: Int]
    }

    @Test("half a body and a dropped connection cache nothing, and the old feed is shown")
    func dropped() async throws {
      try insert(age: 60)
      let before = try workspace.snapshot()
      let body = Array(payload(1...1_000).utf8)
      let server = try await LoopbackServer { _ in
        ServedResponse(
          framing: .length(body.count), steps: [.bytes(Array(body.prefix(body.count / 2))), .drop])
      }
      let outcome = try await workspace.served(
        "load", "feed", "--url", server.url("/feed").absoluteString)
      #expect(outcome.status == 0)
      #expect(outcome.errors.hasPrefix("Couldn't connect to server: "))
      #expect(try workspace.snapshot() == before)
      let other = try await workspace.served(
        "load", "other", "--url", server.url("/feed").absoluteString)
      #expect(other.status == 69)
      #expect(try workspace.records(of: "other") == nil)
      await server.stop()
    }

    @Test("a service with an untrusted certificate counts as no connection, as the message states")
    func untrusted() async throws {
      let body = payload(1...5)
      let server = try await LoopbackServer(isSecure: true) { _ in ServedResponse(text: body) }
      let url = server.url("/feed").absoluteString
      let outcome = try await workspace.served("load", "feed", "--url", url)
      #expect(outcome.status == 69)
      #expect(
        outcome.errors.hasPrefix(
          "Couldn't connect to server: \(url): the certificate of the service is not trusted"))
      #expect(server.requests.isEmpty)
      await server.stop()
    }
  }
#endif
