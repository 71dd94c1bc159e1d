#if Server
  import FeedStorage
  import HTTPTypes
  import NIOCore

  /// A cached response, in wire form except for its date.
  final class CachedResponse: Sendable {
    /// The condition under which a cached response is current.
    enum Condition: Sendable {
      /// The feed has this generation and timestamp, and `until` has not passed. After that its
      /// service is asked.
      case feed(FeedName, generation: UInt64, referenceSeconds: Double, until: Double?)
      /// The image is unchanged.
      case image(ImageDescription)
    }

    /// What is common to responses that differ only in their bodies.
    struct Pattern: Sendable {
      let condition: Condition
      /// When the response expires, in seconds since 2001-01-01T00:00:00Z.
      let until: Double?
      /// The counter of its requests.
      let counter: MetricCounter
      /// The budget of borrowed bytes.
      let budget: SharedBytesBudget
      fileprivate let head: CachedResponseHead
    }

    let pattern: Pattern
    private let body: Body
    /// The number of bytes of the body.
    let bodyByteCount: Int
    /// The approximate memory use in bytes.
    let byteCount: Int

    private enum Body {
      case bytes(CachedResponseHead, ByteBuffer)
      case shared(SharedResponse)
    }

    /// A longer body is written separately from its head and is not copied.
    private static let joinedBytes = 4 << 10
    /// A longer body is shared with sockets together with its head.
    private static let sharedBytes = 16 << 10

    /// - Parameter budget: the budget of bytes that are shared with sockets
    convenience init(
      _ fields: HTTPFields, _ body: [UInt8], _ condition: Condition, until: Double? = nil,
      _ counter: MetricCounter, sharingWithin budget: SharedBytesBudget
    ) {
      let head = CachedResponseHead(fields, bodyByteCount: body.count)
      self.init(
        Pattern(condition: condition, until: until, counter: counter, budget: budget, head: head),
        body)
    }

    init(_ pattern: Pattern, _ body: [UInt8]) {
      let head = pattern.head.with(bodyByteCount: body.count)
      self.pattern = pattern
      self.body =
        body.count > Self.sharedBytes
        ? .shared(SharedResponse(head, body, within: pattern.budget))
        : .bytes(head, ByteBuffer(bytes: body))
      bodyByteCount = body.count
      byteCount = head.byteCount + body.count + 512
    }

    /// Writes the response in one or two buffers.
    ///
    /// - Parameter isFirst: whether it has not been sent before.
    func write(
      date: String, isFirst: Bool = false, on eventLoop: any EventLoop,
      to output: (IOData, EventLoopPromise<Void>?) -> Void
    ) {
      switch body {
      case .bytes(let head, let bytes) where bytes.readableBytes <= Self.joinedBytes:
        var buffer = head.buffer(date: date, room: bytes.readableBytes)
        buffer.writeImmutableBuffer(bytes)
        output(.byteBuffer(buffer), nil)
      case .bytes(let head, let bytes):
        output(.byteBuffer(head.buffer(date: date)), nil)
        output(.byteBuffer(bytes), nil)
      case .shared(let shared):
        shared.write(date: date, isFirst: isFirst, on: eventLoop, to: output)
      }
    }
  }
#endif
