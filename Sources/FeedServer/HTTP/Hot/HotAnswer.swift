#if Server
  import FeedStorage
  import HTTPTypes
  import NIOCore

  /// An answer that is kept to be given again, as it goes over the wire but for its date.
  final class HotAnswer: Sendable {
    /// What has to be so for the answer to be the one that would be made now.
    enum Condition: Sendable {
      /// The feed is of this generation, was current at this time, and no later than this is it
      /// asked for at its service.
      case feed(FeedName, generation: UInt64, referenceSeconds: Double, until: Double?)
      /// The image is the same.
      case image(ImageDescription)
    }

    /// What answers have in common that differ in their bodies alone.
    struct Pattern: Sendable {
      let condition: Condition
      /// When another one is due, in seconds since 2001-01-01T00:00:00Z.
      let until: Double?
      /// Under what it is counted.
      let counter: MetricCounter
      /// Of what is lent.
      let budget: LentBytesBudget
      fileprivate let head: AnswerHead
    }

    let pattern: Pattern
    private let body: Body
    /// The bytes of the body.
    let bodyByteCount: Int
    /// About as many bytes of memory.
    let byteCount: Int

    private enum Body {
      case bytes(AnswerHead, ByteBuffer)
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
      let head = AnswerHead(fields, bodyByteCount: body.count)
      self.init(
        Pattern(condition: condition, until: until, counter: counter, budget: budget, head: head),
        body)
    }

    init(_ pattern: Pattern, _ body: [UInt8]) {
      let head = pattern.head.with(bodyByteCount: body.count)
      self.pattern = pattern
      self.body =
        body.count > Self.lentBytes
        ? .lent(LentAnswer(head, body, within: pattern.budget))
        : .bytes(head, ByteBuffer(bytes: body))
      bodyByteCount = body.count
      byteCount = head.byteCount + body.count + 512
    }

    /// Gives its bytes in one piece or two.
    ///
    /// - Parameter isFirst: whether it was given to nobody before.
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
      case .lent(let lent):
        lent.write(date: date, isFirst: isFirst, on: eventLoop, to: output)
      }
    }
  }
#endif
