#if Server
  import NIOCore
  import RESPWire

  /// What a client has asked for since `MULTI`.
  struct RESPTransaction {
    /// Where a queued command ends among the bytes and the arguments of all.
    private struct End {
      let byte: Int
      let argument: Int
    }

    /// Whether a command was refused, so that `EXEC` is refused, too.
    private(set) var isAborted = false
    /// The command that `EXEC` answers next.
    var next = 0
    /// Whether the answer to `EXEC` has begun, and cannot be taken back any more.
    var hasBegun = false
    private var bytes = ByteBuffer()
    private var arguments: [RESPDecoder.Argument] = []
    private var ends: [End] = []

    /// The commands that are queued.
    var count: Int { ends.count }

    /// What the queue occupies.
    var heldBytes: Int {
      bytes.storageCapacity + arguments.capacity * MemoryLayout<RESPDecoder.Argument>.stride
        + ends.capacity * MemoryLayout<End>.stride
    }

    /// Queues a command, whose bytes are copied.
    mutating func append(_ request: borrowing RESPRequest) {
      let start = bytes.writerIndex
      for index in 0..<request.count {
        let first = bytes.writerIndex - start
        bytes.writeBytes(request[index].bytes)
        arguments.append(RESPDecoder.Argument(first..<bytes.writerIndex - start))
      }
      ends.append(End(byte: bytes.writerIndex, argument: arguments.count))
    }

    /// Forgets what is queued; `EXEC` is refused.
    mutating func abort() {
      self = RESPTransaction()
      isAborted = true
    }

    /// A queued command.
    @_lifetime(borrow self)
    func request(_ index: Int) -> RESPRequest {
      let begin = index == 0 ? End(byte: 0, argument: 0) : ends[index - 1]
      let all = bytes.readableBytesUInt8Span
      return RESPRequest(
        all.extracting(begin.byte..<ends[index].byte),
        arguments.span.extracting(begin.argument..<ends[index].argument))
    }
  }
#endif
