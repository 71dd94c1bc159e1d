#if Remote
  import FeedAPI
  import FeedFeature
  import Foundation
  import LoopbackServer
  import Synchronization
  import Testing

  @Suite("A transport")
  struct TransportTests {
    @Test("delivers the head, the body in chunks, and the final URL")
    func response() async throws {
      let piece = [UInt8](repeating: 7, count: 50_000)
      try await withServer { request in
        request.path == "/moved"
          ? .redirect(to: "/here?a=b")
          : ServedResponse(
            218, fields: [("X-One", "1"), ("x-one", "2")], framing: .chunked,
            steps: [.repeated(piece, times: 5)])
      } _: { server, client in
        let response = try await client.get(
          FeedHTTPRequest(server.url("/moved"), fields: ["X-Asked": "yes"]))
        #expect(response.status == 218)
        #expect(response.fields["X-ONE"] == "1")
        #expect(response.url == server.url("/here?a=b"))
        var bytes: [UInt8] = []
        for try await chunk in response.body { bytes += chunk }
        #expect(bytes == Array(repeatElement(piece, count: 5).joined()))
        #expect(server.requests.map { $0.fields["x-asked"] } == ["yes", "yes"])
      }
    }

    @Test("reports a failed connection", arguments: ["http://127.0.0.1:1/", "http://[::1]:1"])
    func noConnection(text: String) async throws {
      let client = AsyncHTTPTransport()
      let error = await #expect(throws: TransportError.self) {
        try await client.get(FeedHTTPRequest(Payloads.url(text)))
      }
      #expect(error?.kind == .connection)
      await client.shutdown()
    }

    @Test(
      "refuses a URL that is not for HTTP, or has a local socket or an invalid port",
      arguments: [
        "ftp://service/", "/path", "http:///path", "http+unix://%2Ftmp%2Fsocket/path",
        "https+unix://%2Ftmp%2Fsocket/path", "unix:///tmp/socket", "http://127.0.0.1:65536/",
        "http://127.0.0.1:0/", "https://127.0.0.1:99999999999/",
      ])
    func badURL(text: String) async throws {
      let client = AsyncHTTPTransport()
      let error = await #expect(throws: TransportError.self) {
        try await client.get(FeedHTTPRequest(Payloads.url(text)))
      }
      #expect(error?.kind == .request)
      await client.shutdown()
    }

    @Test("refuses an invalid header field", arguments: [("X", "a\r\nY: b"), ("X Y", "a")])
    func badField(name: String, value: String) async throws {
      let client = AsyncHTTPTransport()
      var request = FeedHTTPRequest(Payloads.url("http://127.0.0.1:1/"))
      request.fields.add(name, value)
      let error = await #expect(throws: TransportError.self) { try await client.get(request) }
      #expect(error?.kind == .request)
      await client.shutdown()
    }

    @Test("delivers a redirect to an invalid port as a response")
    func badRedirect() async throws {
      try await withServer { _ in
        .redirect(to: "http://127.0.0.1:70000/")
      } _: { server, client in
        let response = try await client.get(FeedHTTPRequest(server.url))
        #expect(response.status / 100 == 3)
      }
    }

    @Test("reports a connection that ends within the head or within the body")
    func dropped() async throws {
      try await withServer { request in
        request.path == "/head"
          ? ServedResponse(
            103, framing: .close, steps: [.bytes(Array("HTTP/1.1 200 OK\r\nA: ".utf8))])
          : ServedResponse(framing: .length(100), steps: [.bytes([1, 2, 3]), .drop])
      } _: { server, client in
        let noHead = await #expect(throws: TransportError.self) {
          try await client.get(FeedHTTPRequest(server.url("/head")))
        }
        #expect(noHead?.kind == .closed)
        let response = try await client.get(FeedHTTPRequest(server.url("/body")))
        let halfABody = await #expect(throws: TransportError.self) {
          for try await _ in response.body {}
        }
        #expect(halfABody?.kind == .closed)
      }
    }

    @Test("fails on a chunked body that ends without its last chunk")
    func droppedChunks() async throws {
      try await withServer { _ in
        ServedResponse(framing: .chunked, steps: [.bytes([1, 2, 3]), .drop])
      } _: { server, client in
        let response = try await client.get(FeedHTTPRequest(server.url))
        let error = await #expect(throws: TransportError.self) {
          for try await _ in response.body {}
        }
        #expect(error?.kind == .closed)
      }
    }

    @Test("reports a response that is not HTTP")
    func malformed() async throws {
      try await withServer { _ in
        ServedResponse(103, framing: .close, steps: [.bytes(Array("SSH-2.0-x\r\n\r\n".utf8))])
      } _: { server, client in
        let error = await #expect(throws: TransportError.self) {
          try await client.get(FeedHTTPRequest(server.url))
        }
        #expect(error?.kind == .malformed)
      }
    }

    @Test("follows redirects up to the maximum, and refuses a circle of them")
    func redirects() async throws {
      var options = AsyncHTTPTransport.Options()
      options.maximumRedirects = 3
      try await withServer(options) { request in
        if request.path == "/circle" { return .redirect(to: "/circle") }
        let number = Int(request.path.dropFirst()) ?? 0
        return number == 0
          ? ServedResponse(text: "end") : .redirect(to: "/\(number - 1)", status: 307)
      } _: { server, client in
        let response = try await client.get(FeedHTTPRequest(server.url("/3")))
        #expect(response.status == 200)
        for path in ["/4", "/circle"] {
          let error = await #expect(throws: TransportError.self) {
            try await client.get(FeedHTTPRequest(server.url(path)))
          }
          #expect(error?.kind == .redirect)
        }
      }
    }

    @Test("sends neither credentials nor service-specific fields to another origin")
    func foreignRedirect() async throws {
      try await withServer { _ in
        ServedResponse(text: "there")
      } _: { other, _ in
        let target = other.url("/there").absoluteString
          .replacing("http://", with: "http://planted:name@")
        try await withServer { request in
          request.path == "/first" ? .redirect(to: "/second") : .redirect(to: target)
        } _: { server, client in
          let fields: FeedHTTPFields = [
            "X-Api-Key": "key", "Authorization": "Bearer token", "Cookie": "a=b",
            "Accept": "application/json", "If-None-Match": "\"one\"",
          ]
          let response = try await client.get(FeedHTTPRequest(server.url("/first"), fields: fields))
          #expect(response.status == 200)
          #expect(response.url == other.url("/there"))
          for request in server.requests {
            #expect(request.fields["x-api-key"] == "key")
            #expect(request.fields["authorization"] == "Bearer token")
          }
          #expect(server.requests.count == 2)
          let foreign = try #require(other.requests.first?.fields)
          for name in ["x-api-key", "authorization", "cookie"] { #expect(foreign[name] == nil) }
          #expect(foreign["accept"] == "application/json")
          #expect(foreign["if-none-match"] == "\"one\"")
        }
      }
    }

    @Test("sends the name and password of a URL by the Basic scheme, and not in the URL")
    func credentialsOfURL() async throws {
      try await withServer { _ in
        ServedResponse(text: "feed")
      } _: { server, client in
        let base = server.url("/feed").absoluteString
        func get(_ userinfo: String, _ fields: FeedHTTPFields = [:]) async throws
          -> FeedHTTPResponse
        {
          let text = base.replacing("http://", with: "http://\(userinfo)@")
          return try await client.get(FeedHTTPRequest(Payloads.url(text), fields: fields))
        }
        #expect(try await get("Aladdin:open%20sesame").url == server.url("/feed"))
        _ = try await get("ana")
        _ = try await get("ana:secret", ["Authorization": "Bearer token"])
        let sent = server.requests.map { $0.fields["authorization"] }
        #expect(sent == ["Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Basic YW5hOg==", "Bearer token"])
        #expect(server.requests.allSatisfy { $0.target == "/feed" })
        #expect(server.requests.allSatisfy { $0.fields["host"]?.contains("@") == false })

        // A name cannot contain a colon, and both parts must be UTF-8.
        for userinfo in ["a%3Ab:secret", "%FF:secret"] {
          let error = await #expect(throws: TransportError.self) { try await get(userinfo) }
          #expect(error?.kind == .request)
        }
        #expect(server.requests.count == 3)
      }
    }

    @Test("applies the limit of the whole request across redirects, and reports it")
    func redirectTakesTime() async throws {
      try await withServer(.timeouts(idle: .seconds(600), whole: .milliseconds(300))) { request in
        if request.path == "/end" { await Gate().wait() }
        return ServedResponse(302, fields: [("Location", "/end")], steps: [.bytes([1, 2, 3])])
      } _: { server, client in
        let error = await #expect(throws: TransportError.self) {
          try await client.get(FeedHTTPRequest(server.url("/start")))
        }
        #expect(error?.kind == .timeout)
        #expect(error?.reason.contains("0.3 seconds") == true)
      }
    }

    @Test("delivers a redirect as a response if it has no target or none may be followed")
    func redirectAsItIs() async throws {
      var options = AsyncHTTPTransport.Options()
      options.maximumRedirects = 0
      try await withServer(options) { _ in
        .redirect(to: "/elsewhere")
      } _: { server, client in
        let response = try await client.get(FeedHTTPRequest(server.url))
        #expect(response.status == 302)
      }
      try await withServer { _ in
        ServedResponse(302)
      } _: { server, client in
        let response = try await client.get(FeedHTTPRequest(server.url))
        #expect(response.status == 302)
      }
    }

    @Test("ends a wait for the head or for more of the body at the limit", arguments: [0, 3])
    func idle(bodyBytes: Int) async throws {
      let gate = Gate()
      try await withServer(.timeouts(idle: .milliseconds(200))) { _ in
        if bodyBytes == 0 { await gate.wait() }
        return ServedResponse(
          framing: .length(100),
          steps: [.bytes([UInt8](repeating: 0, count: bodyBytes)), .wait(gate)])
      } _: { server, client in
        let error = await #expect(throws: TransportError.self) {
          for try await _ in try await client.get(FeedHTTPRequest(server.url)).body {}
        }
        #expect(error?.kind == .timeout)
      }
    }

    @Test("does not count the time that the reader of a body takes")
    func slowReader() async throws {
      let isSent = Gate()
      let piece = [UInt8](repeating: 0, count: 256 << 10)
      try await withServer(.timeouts(idle: .seconds(3))) { _ in
        ServedResponse(steps: [.bytes(piece), .note { isSent.open() }])
      } _: { server, client in
        var count = 0
        for try await chunk in try await client.get(FeedHTTPRequest(server.url)).body {
          if count == 0 {
            // From here on, the server has sent the whole body.
            await isSent.wait()
            try await Task.sleep(for: .seconds(4))
          }
          count += chunk.count
        }
        #expect(count == piece.count)
      }
    }

    @Test("stops receiving while the body is not read")
    func backpressure() async throws {
      let piece = [UInt8](repeating: 0, count: 1 << 20)
      let sent = Mutex(0)
      let steps = [ServedResponse.Step](repeating: .bytes(piece), count: 256)
        .flatMap { [$0, .note { sent.withLock { $0 += 1 } }] }
      try await withServer { _ in
        ServedResponse(framing: .chunked, steps: steps)
      } _: { server, client in
        var count = 0
        for try await chunk in try await client.get(FeedHTTPRequest(server.url)).body {
          if count == 0 {
            // This is long enough to receive the whole body without backpressure.
            try await Task.sleep(for: .seconds(1))
            // The socket's own buffers hold some tens of megabytes.
            #expect(sent.withLock { $0 } < 128)
          }
          count += chunk.count
        }
        #expect(count == 256 << 20)
      }
    }

    @Test("ends a request that takes too long in all, even while bytes arrive")
    func whole() async throws {
      try await withServer(.timeouts(whole: .milliseconds(300))) { _ in
        ServedResponse(
          framing: .chunked, steps: [.repeated([UInt8](repeating: 0, count: 1000), times: 1 << 40)])
      } _: { server, client in
        let error = await #expect(throws: TransportError.self) {
          for try await _ in try await client.get(FeedHTTPRequest(server.url)).body {}
        }
        #expect(error?.kind == .timeout)
        #expect(error?.reason.contains("in all") == true)
      }
    }

    @Test("throws CancellationError and closes the connection when its task is cancelled")
    func cancelled() async throws {
      let gate = Gate()
      let closed = Gate()
      try await withServer { _ in
        ServedResponse(
          framing: .length(100), steps: [.bytes([1]), .wait(gate), .awaitClosing(closed)])
      } _: { server, client in
        let begun = Gate()
        let read = Task {
          for try await _ in try await client.get(FeedHTTPRequest(server.url)).body { begun.open() }
        }
        await begun.wait()
        read.cancel()
        await #expect(throws: CancellationError.self) { try await read.value }
        gate.open()
        await closed.wait()
      }
    }

    @Test("sends no request if its task is already cancelled")
    func cancelledBefore() async throws {
      try await withServer { _ in
        ServedResponse(text: "[]")
      } _: { server, client in
        let gate = Gate()
        let load = Task {
          await gate.wait()
          return try await RemoteFeedLoader<University>(url: server.url, client: client).load()
        }
        load.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(server.requests.isEmpty)
      }
    }

    @Test("closes the connection of a response whose body is not read")
    func abandoned() async throws {
      let closed = Gate()
      try await withServer { _ in
        ServedResponse(framing: .length(100), steps: [.bytes([1]), .awaitClosing(closed)])
      } _: { server, client in
        let status = try await status(of: server.url, client)
        #expect(status == 200)
        await closed.wait()
      }
    }

    private func status(of url: URL, _ client: AsyncHTTPTransport) async throws -> Int {
      try await client.get(FeedHTTPRequest(url)).status
    }

    @Test("fails requests after its shutdown, including those in progress")
    func shutDown() async throws {
      let gate = Gate()
      try await withServer { _ in
        ServedResponse(framing: .length(100), steps: [.bytes([1]), .wait(gate)])
      } _: { server, client in
        let response = try await client.get(FeedHTTPRequest(server.url))
        await client.shutdown()
        let underWay = await #expect(throws: TransportError.self) {
          for try await _ in response.body {}
        }
        #expect(underWay?.kind == .shutDown)
        let later = await #expect(throws: TransportError.self) {
          try await client.get(FeedHTTPRequest(server.url))
        }
        #expect(later?.kind == .shutDown)
      }
    }

    @Test("serves many requests at once, each with its own response")
    func many() async throws {
      try await withServer { request in
        ServedResponse(text: request.path)
      } _: { server, client in
        let loader = RemoteFeedImageDataLoader(client: client)
        try await withThrowingTaskGroup { group in
          for number in 0..<200 {
            group.addTask {
              let data = try await loader.loadImageData(from: server.url("/\(number)"))
              return data == Data("/\(number)".utf8)
            }
          }
          for try await isRight in group { #expect(isRight) }
        }
        #expect(server.requests.count == 200)
      }
    }
  }
#endif
