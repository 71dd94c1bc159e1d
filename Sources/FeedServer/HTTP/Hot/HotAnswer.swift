#if Server
  import FeedStorage
  import HTTPTypes
  import NIOCore

  /// An answer that was given before, as it goes over the wire but for its date.
  final class HotAnswer: Sendable {
    /// What has to be so for the answer to be the one that would be made now.
    enum Condition: Sendable {
      /// The feed is of this generation, was current at this time, and no later than this is it
      /// asked for at its service.
      case feed(FeedName, generation: UInt64, referenceSeconds: Double, until: Double?)
      /// The image is the same.
      case image(ImageDescription)
    }

    let condition: Condition
    /// Under what it is counted.
    let counter: MetricCounter
    /// The status line and the fields, up to the value of the last one, which is the date.
    private let head: [UInt8]
    private let body: Body

    private enum Body {
      case bytes(ByteBuffer)
      case lent(LentBody)
    }

    private static let status = Array("HTTP/1.1 200 OK\r\n".utf8)
    private static let end = Array("\r\n\r\n".utf8)
    /// A longer body goes beside its head and is not copied.
    private static let joinedBytes = 4 << 10
    /// A longer one is lent: it costs a call of the system more than it saves below that.
    private static let lentBytes = 16 << 10

    /// - Parameter budget: of the bodies that are lent
    init(
      _ fields: HTTPFields, _ body: [UInt8], _ condition: Condition, _ counter: MetricCounter,
      lendingWithin budget: LentBodyBudget
    ) {
      var head = Self.status
      for field in fields { head += "\(field.name.rawName): \(field.value)\r\n".utf8 }
      head += "Date: ".utf8
      self.head = head
      if body.count > Self.lentBytes, let lent = LentBody(body, within: budget) {
        self.body = .lent(lent)
      } else {
        self.body = .bytes(ByteBuffer(bytes: body))
      }
      self.condition = condition
      self.counter = counter
    }

    /// About as many bytes of memory.
    var byteCount: Int {
      switch body {
      case .bytes(let buffer): head.count + buffer.readableBytes + 512
      case .lent(let lent): head.count + lent.byteCount + 512
      }
    }

    /// Whether its body is lent to the socket, which should wait for it before it sends the head.
    var isLent: Bool {
      if case .lent = body { true } else { false }
    }

    /// Gives its bytes in one piece or two.
    func write(
      date: String, on eventLoop: any EventLoop,
      to output: (IOData, EventLoopPromise<Void>?) -> Void
    ) {
      switch body {
      case .bytes(let bytes) where bytes.readableBytes <= Self.joinedBytes:
        var buffer = headed(date, room: bytes.readableBytes)
        buffer.writeImmutableBuffer(bytes)
        output(.byteBuffer(buffer), nil)
      case .bytes(let bytes):
        output(.byteBuffer(headed(date)), nil)
        output(.byteBuffer(bytes), nil)
      case .lent(let lent):
        output(.byteBuffer(headed(date)), nil)
        lent.write(on: eventLoop, to: output)
      }
    }

    private func headed(_ date: String, room: Int = 0) -> ByteBuffer {
      let count = head.count + date.utf8.count + Self.end.count
      var buffer = ByteBufferAllocator().buffer(capacity: count + room)
      buffer.writeBytes(head)
      buffer.writeString(date)
      buffer.writeBytes(Self.end)
      return buffer
    }
  }
#endif
