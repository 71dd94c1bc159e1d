#if Server
  import NIOCore
  import Synchronization

  /// A complete response that is shared with sockets and sent with one system call. It is shared
  /// once it is requested again, and rebuilt when the date has changed, which it does each second.
  final class LentAnswer: Sendable {
    private enum State {
      /// Not requested again yet, or there was no room to share it.
      case kept(ByteBuffer)
      case lent(LentBytes, date: String)
    }

    private let head: AnswerHead
    private let bodyByteCount: Int
    private let budget: LentBytesBudget
    private let state: Mutex<State>

    init(_ head: AnswerHead, _ body: [UInt8], within budget: LentBytesBudget) {
      self.head = head
      self.budget = budget
      bodyByteCount = body.count
      state = Mutex(.kept(ByteBuffer(bytes: body)))
    }

    /// Writes the response in one part, or in two if it cannot be shared with this date.
    ///
    /// - Parameter isFirst: whether this is the first use, after which there may be no other.
    func write(
      date: String, isFirst: Bool = false, on eventLoop: any EventLoop,
      to output: (IOData, EventLoopPromise<Void>?) -> Void
    ) {
      switch isFirst ? state.withLock({ $0 }) : current(date) {
      case .kept(let body):
        output(.byteBuffer(head.buffer(date: date)), nil)
        output(.byteBuffer(body), nil)
      case .lent(let bytes, date):
        bytes.write(on: eventLoop, to: output)
      case .lent(let bytes, _):
        output(.byteBuffer(head.buffer(date: date)), nil)
        bytes.write(from: bytes.count - bodyByteCount, on: eventLoop, to: output)
      }
    }

    /// The state, with this date if possible.
    private func current(_ date: String) -> State {
      state.withLock { state in
        let count = head.byteCount + date.utf8.count + bodyByteCount
        let lent: LentBytes?
        switch state {
        case .lent(_, date): return state
        case .kept(let body):
          lent = LentBytes(count, within: budget) {
            Array(head.buffer(date: date).readableBytesView) + body.readableBytesView
          }
        case .lent(let bytes, _):
          lent = LentBytes(count, within: budget, isRenewal: true) {
            bytes.copy(from: bytes.count - bodyByteCount).map { body in
              Array(head.buffer(date: date).readableBytesView) + body
            }
          }
        }
        if let lent { state = .lent(lent, date: date) }
        return state
      }
    }
  }
#endif
