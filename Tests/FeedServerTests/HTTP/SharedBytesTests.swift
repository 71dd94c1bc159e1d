#if Server
  import FeedCore
  import Foundation
  import HTTPTypes
  import NIOCore
  import NIOEmbedded
  import Testing

  @testable import FeedServer

  @Suite("A response that is shared with sockets")
  struct SharedBytesTests {
    #if os(Linux)
      @Test(
        "does not change while it is sent, even if its image is replaced",
        .timeLimit(.minutes(10)))
      func replaced() async throws {
        let old = [UInt8](repeating: 1, count: 200_000)
        let database = try FeedDatabase.universities(1)
        let images = try ImageStore.open(at: database.directory)
        try images.insert(old.span.bytes, for: "https://example.org/a.png")
        try await TestServer.with(database) { server in
          let target = "/images?url=https%3A%2F%2Fexample.org%2Fa.png"
          _ = try await server.get(target)
          // More than the buffers of the sockets hold.
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
        "keeps its file open until its writes are complete or discarded",
        arguments: [true, false])
      func closed(isSent: Bool) throws {
        let budget = SharedBytesBudget(files: 4, byteCount: 4)
        var bytes = SharedBytes(3, within: budget) { [1, 2, 3] }
        #expect(bytes?.copy(from: 1) == [2, 3])
        let channel = EmbeddedChannel()
        let promise = channel.embeddedEventLoop.makePromise(of: Void.self)
        bytes?.write(on: channel.embeddedEventLoop) { _, sent in
          promise.futureResult.cascade(to: sent)
        }
        bytes = nil
        #expect(SharedBytes(1, within: budget) { [4] } == nil, "the bytes have yet to be sent")
        if isSent { promise.succeed() } else { promise.fail(ChannelError.ioOnClosedChannel) }
        #expect(SharedBytes(1, within: budget) { [4] } != nil)
        _ = try channel.finish()
      }

      @Test("is rebuilt with a new date, or sent with a separate head if it cannot be rebuilt")
      func dated() throws {
        let body = [UInt8](repeating: 7, count: 20_000)
        let head = CachedResponseHead([.contentType: "image/png"], bodyByteCount: body.count)
        let start =
          "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 20000\r\nDate: "
        // There is room to rebuild it each time, once, or never.
        for (files, chunks) in [(4, [1, 1, 1]), (2, [1, 2, 2]), (1, [2, 2, 2])] {
          let budget = SharedBytesBudget(files: files)
          let answer = SharedResponse(head, body, within: budget)
          var other: SharedBytes?
          var counts: [Int] = []
          for date in ["then", "now", "now"] {
            var written: [[UInt8]] = []
            answer.write(date: date, on: EmbeddedEventLoop()) { data, sent in
              written.append(Self.bytes(data))
              sent?.succeed()
            }
            if files == 2, other == nil {
              other = SharedBytes(1, within: budget, isRenewal: true) { [0] }
            }
            counts.append(written.count)
            #expect(Array(written.joined()) == Array((start + date + "\r\n\r\n").utf8) + body)
          }
          withExtendedLifetime(other) { #expect(counts == chunks) }
        }
      }

      @Test("is not shared for the first request, which may be the only one")
      func first() {
        let body = [UInt8](repeating: 7, count: 20_000)
        let answer = SharedResponse(
          CachedResponseHead([:], bodyByteCount: body.count), body,
          within: SharedBytesBudget(files: 4))
        let shared = [true, true, false].map { isFirst in
          var files = 0
          answer.write(date: "now", isFirst: isFirst, on: EmbeddedEventLoop()) { data, sent in
            if case .fileRegion = data { files += 1 }
            sent?.succeed()
          }
          return files
        }
        #expect(shared == [0, 0, 1])
      }

      @Test("does not exceed the total of shared bytes")
      func room() {
        let budget = SharedBytesBudget(files: 100, byteCount: 100)
        let first = SharedBytes(70, within: budget) { [UInt8](repeating: 0, count: 70) }
        #expect(first != nil)
        #expect(SharedBytes(10, within: budget) { [UInt8](repeating: 0, count: 10) } == nil)
        let renewed = SharedBytes(30, within: budget, isRenewal: true) {
          [UInt8](repeating: 0, count: 30)
        }
        #expect(renewed != nil)
        withExtendedLifetime(first) {}
      }

      private static func bytes(_ data: IOData) -> [UInt8] {
        switch data {
        case .byteBuffer(let buffer): Array(buffer.readableBytesView)
        case .fileRegion(let region):
          [UInt8](unsafeUninitializedCapacity: region.readableBytes) { bytes, count in
            let read = try? region.fileHandle.withUnsafeFileDescriptor { file in
              pread(file, bytes.baseAddress, bytes.count, off_t(region.readerIndex))
            }
            count = max(read ?? 0, 0)
          }
        }
      }
    #endif

    @Test("is copied if the budget is exhausted")
    func copied() throws {
      let bytes = [UInt8](repeating: 7, count: 20_000)
      let metrics = ServerCounters()
      let counter = metrics.counter(request: "test", outcome: "200", over: .http)
      let name = try FeedName("a")
      let condition = CachedResponse.Condition.feed(
        name, generation: 1, referenceSeconds: 0, until: nil)
      let answer = CachedResponse(
        [:], bytes, condition, counter, sharingWithin: SharedBytesBudget(files: 0))
      var written: [UInt8] = []
      answer.write(date: "now", on: EmbeddedEventLoop()) { data, _ in
        if case .byteBuffer(let buffer) = data { written += buffer.readableBytesView }
      }
      #expect(written.suffix(bytes.count) == bytes[...])
    }
  }
#endif
