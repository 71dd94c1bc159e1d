#if Server
  import NIOCore
  import Synchronization

  /// A whole answer that is lent to sockets, so that it goes out with one call of the system: from
  /// the first time that it is asked for again, and made anew when another second has begun.
  final class LentAnswer: Sendable {
    private enum State {
      /// Nobody has asked again, or there was no room.
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

    /// Gives its bytes in one piece, or in two where it cannot be lent with this date.
    ///
    /// - Parameter isFirst: whether nobody has asked before, so that nobody may again.
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

    /// The state, with this date if it can be had.
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
