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
    private let body: ByteBuffer

    private static let status = Array("HTTP/1.1 200 OK\r\n".utf8)
    private static let end = Array("\r\n\r\n".utf8)
    /// A longer body goes beside its head and is not copied.
    private static let joinedBytes = 4 << 10

    init(_ fields: HTTPFields, _ body: [UInt8], _ condition: Condition, _ counter: MetricCounter) {
      var head = Self.status
      for field in fields { head += "\(field.name.rawName): \(field.value)\r\n".utf8 }
      head += "Date: ".utf8
      self.head = head
      self.body = ByteBuffer(bytes: body)
      self.condition = condition
      self.counter = counter
    }

    /// About as many bytes of memory.
    var byteCount: Int { head.count + body.readableBytes + 512 }

    /// Gives its bytes in one piece or two.
    func write(date: String, to output: (ByteBuffer) -> Void) {
      let isJoined = body.readableBytes <= Self.joinedBytes
      let count = head.count + date.utf8.count + Self.end.count
      var buffer = ByteBufferAllocator()
        .buffer(capacity: count + (isJoined ? body.readableBytes : 0))
      buffer.writeBytes(head)
      buffer.writeString(date)
      buffer.writeBytes(Self.end)
      if isJoined {
        buffer.writeImmutableBuffer(body)
        output(buffer)
      } else {
        output(buffer)
        output(body)
      }
    }
  }
#endif
