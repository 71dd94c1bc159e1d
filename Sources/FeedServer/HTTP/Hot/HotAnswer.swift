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
    /// When another one is due, in seconds since 2001-01-01T00:00:00Z.
    let until: Double?
    /// Under what it is counted.
    let counter: MetricCounter
    private let head: AnswerHead
    private let body: Body
    private let budget: LentBytesBudget
    /// About as many bytes of memory.
    let byteCount: Int

    private enum Body {
      case bytes(ByteBuffer)
      case lent(LentAnswer)
    }

    /// A longer body goes beside its head and is not copied.
    private static let joinedBytes = 4 << 10
    /// A longer one is lent together with its head.
    private static let lentBytes = 16 << 10

    /// - Parameter budget: of what is lent
    convenience init(
      _ fields: HTTPFields, _ body: [UInt8], _ condition: Condition, until: Double? = nil,
      _ counter: MetricCounter, lendingWithin budget: LentBytesBudget
    ) {
      self.init(
        AnswerHead(fields, bodyByteCount: body.count), body, condition, until: until, counter,
        lendingWithin: budget)
    }

    private init(
      _ head: AnswerHead, _ body: [UInt8], _ condition: Condition, until: Double?,
      _ counter: MetricCounter, lendingWithin budget: LentBytesBudget
    ) {
      self.head = head
      self.budget = budget
      self.body =
        body.count > Self.lentBytes
        ? .lent(LentAnswer(head, body, within: budget)) : .bytes(ByteBuffer(bytes: body))
      byteCount = head.byteCount + body.count + 512
      self.condition = condition
      self.until = until
      self.counter = counter
    }

    /// The same with another body, in the same conditions.
    func with(body: [UInt8]) -> HotAnswer {
      HotAnswer(
        head.with(bodyByteCount: body.count), body, condition, until: until, counter,
        lendingWithin: budget)
    }

    /// Gives its bytes in one piece or two.
    func write(
      date: String, on eventLoop: any EventLoop,
      to output: (IOData, EventLoopPromise<Void>?) -> Void
    ) {
      switch body {
      case .bytes(let bytes) where bytes.readableBytes <= Self.joinedBytes:
        var buffer = head.buffer(date: date, room: bytes.readableBytes)
        buffer.writeImmutableBuffer(bytes)
        output(.byteBuffer(buffer), nil)
      case .bytes(let bytes):
        output(.byteBuffer(head.buffer(date: date)), nil)
        output(.byteBuffer(bytes), nil)
      case .lent(let lent):
        lent.write(date: date, on: eventLoop, to: output)
      }
    }
  }
#endif
