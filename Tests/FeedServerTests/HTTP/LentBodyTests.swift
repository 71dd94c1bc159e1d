#if Server
  import FeedCore
  import HTTPTypes
  import NIOCore
  import NIOEmbedded
  import Testing

  @testable import FeedServer

  @Suite("A body that is lent to sockets")
  struct LentBodyTests {
    #if os(Linux)
      @Test("stays as it was for whoever takes it, though its image was replaced meanwhile")
      func replaced() async throws {
        let old = [UInt8](repeating: 1, count: 200_000)
        let database = try FeedDatabase.universities(1)
        let images = try ImageStore.open(at: database.directory)
        try images.insert(old.span.bytes, for: "https://example.org/a.png")
        try await TestServer.with(database) { server in
          let target = "/images?url=https%3A%2F%2Fexample.org%2Fa.png"
          _ = try await server.get(target)
          // More than the sockets between the two hold.
          let count = 100
          try await HTTPConnection.with(server.address, reading: false) { connection, input in
            let requests = String(repeating: TestServer.request(target), count: count)
            try await connection.send(requests)
            while server.metrics.hotAnswers == 0 { try await Task.sleep(for: .milliseconds(1)) }
            let new = [UInt8](repeating: 2, count: 200_000)
            try images.insert(new.span.bytes, for: "https://example.org/a.png")
            #expect(try await server.get(target).body == new)
            try await connection.startReading()
            for index in 0..<count {
              let body = try #require(try await input.answer()).body
              #expect(body == old || index > 0 && body == new)
            }
          }
        }
      }

      @Test(
        "is given up with its connection, and its file is closed when no answer has it any more")
      func closed() async throws {
        let budget = LentBodyBudget(1)
        var body = LentBody([1, 2, 3], within: budget)
        #expect(body?.byteCount == 3)
        #expect(LentBody([4], within: budget) == nil)
        let channel = EmbeddedChannel()
        body?.write(on: channel.embeddedEventLoop) { data, sent in
          channel.write(data, promise: sent)
        }
        body = nil
        #expect(LentBody([4], within: budget) == nil, "the channel has yet to send it")
        channel.flush()
        #expect(LentBody([4], within: budget) != nil)
      }
    #endif

    @Test("is copied instead where as many are lent as may be")
    func copied() throws {
      let bytes = [UInt8](repeating: 7, count: 20_000)
      let metrics = ServerMetrics()
      let counter = metrics.counter(request: "test", outcome: "200", over: .http)
      let name = try FeedName("a")
      let condition = HotAnswer.Condition.feed(
        name, generation: 1, referenceSeconds: 0, until: nil)
      let answer = HotAnswer(
        [:], bytes, condition, counter, lendingWithin: LentBodyBudget(0))
      var written: [UInt8] = []
      answer.write(date: "now", on: EmbeddedEventLoop()) { data, _ in
        if case .byteBuffer(let buffer) = data { written += buffer.readableBytesView }
      }
      #expect(!answer.isLent)
      #expect(written.suffix(bytes.count) == bytes[...])
    }
  }
#endif
