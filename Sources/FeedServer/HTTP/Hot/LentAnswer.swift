#if Server
  import NIOCore
  import Synchronization

  /// A whole answer that is lent to sockets, so that it goes out with one call of the system; made
  /// anew when its date is no longer right, once a second at most.
  final class LentAnswer: Sendable {
    private struct Made {
      var date: String
      var bytes: LentBytes
    }

    private let budget: LentBytesBudget
    private let bodyByteCount: Int
    private let made: Mutex<Made>

    /// - Returns: nil where it cannot be lent.
    init?(_ head: AnswerHead, _ body: [UInt8], within budget: LentBytesBudget) {
      guard let bytes = LentBytes(Self.whole(head, "", body), within: budget) else { return nil }
      self.budget = budget
      bodyByteCount = body.count
      made = Mutex(Made(date: "", bytes: bytes))
    }

    func write(
      _ head: AnswerHead, date: String, on eventLoop: any EventLoop,
      to output: (IOData, EventLoopPromise<Void>?) -> Void
    ) {
      let (bytes, isRight) = made.withLock { made in
        if made.date != date, let bytes = renewed(made.bytes, head, date) {
          made = Made(date: date, bytes: bytes)
        }
        return (made.bytes, made.date == date)
      }
      if isRight { return bytes.write(on: eventLoop, to: output) }
      output(.byteBuffer(head.buffer(date: date)), nil)
      bytes.write(from: bytes.count - bodyByteCount, on: eventLoop, to: output)
    }

    private func renewed(_ bytes: LentBytes, _ head: AnswerHead, _ date: String) -> LentBytes? {
      bytes.copy(from: bytes.count - bodyByteCount).flatMap { body in
        LentBytes(Self.whole(head, date, body), within: budget)
      }
    }

    private static func whole(_ head: AnswerHead, _ date: String, _ body: [UInt8]) -> [UInt8] {
      head.buffer(date: date).readableBytesView + body
    }
  }
#endif
