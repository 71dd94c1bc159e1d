#if Server
  import FeedCore
  import Foundation
  import HTTPTypes
  import NIOCore
  import NIOEmbedded
  import Testing

  @testable import FeedServer

  @Suite("An answer that is lent to sockets")
  struct LentBytesTests {
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
        let budget = LentBytesBudget(1)
        var bytes = LentBytes([1, 2, 3], within: budget)
        #expect(bytes?.copy(from: 1) == [2, 3])
        #expect(LentBytes([4], within: budget) == nil)
        let channel = EmbeddedChannel()
        bytes?.write(on: channel.embeddedEventLoop) { data, sent in
          channel.write(data, promise: sent)
        }
        bytes = nil
        #expect(LentBytes([4], within: budget) == nil, "the channel has yet to send it")
        channel.flush()
        #expect(LentBytes([4], within: budget) != nil)
      }

      @Test("is dated anew, and sent as it was where it cannot be made anew")
      func dated() throws {
        let body = [UInt8](repeating: 7, count: 20_000)
        let head = AnswerHead([.contentType: "image/png"])
        let start = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nDate: "
        // Two files at once, while one takes the place of the other, and only one.
        for (capacity, pieces) in [(2, [1, 1, 1]), (1, [2, 2, 2])] {
          let answer = try #require(
            LentAnswer(head, body, within: LentBytesBudget(capacity)))
          let dates = ["then", "now", "now"]
          var counts: [Int] = []
          for date in dates {
            var written: [[UInt8]] = []
            answer.write(head, date: date, on: EmbeddedEventLoop()) { data, sent in
              written.append(Self.bytes(data))
              sent?.succeed()
            }
            counts.append(written.count)
            #expect(Array(written.joined()) == Array((start + date + "\r\n\r\n").utf8) + body)
          }
          #expect(counts == pieces)
        }
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

    @Test("is copied instead where as many are lent as may be")
    func copied() throws {
      let bytes = [UInt8](repeating: 7, count: 20_000)
      let metrics = ServerMetrics()
      let counter = metrics.counter(request: "test", outcome: "200", over: .http)
      let name = try FeedName("a")
      let condition = HotAnswer.Condition.feed(
        name, generation: 1, referenceSeconds: 0, until: nil)
      let answer = HotAnswer(
        [:], bytes, condition, counter, lendingWithin: LentBytesBudget(0))
      var written: [UInt8] = []
      answer.write(date: "now", on: EmbeddedEventLoop()) { data, _ in
        if case .byteBuffer(let buffer) = data { written += buffer.readableBytesView }
      }
      #expect(written.suffix(bytes.count) == bytes[...])
    }
  }
#endif
