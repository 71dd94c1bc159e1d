#if Server
  import NIOCore
  import RESPWire

  /// The commands that a client has queued since `MULTI`.
  struct RESPTransaction {
    /// The end offsets of a queued command in the bytes and arguments of all.
    private struct End {
      let byte: Int
      let argument: Int
    }

    /// Whether a command was refused, so that `EXEC` fails, too.
    private(set) var isAborted = false
    /// The command that `EXEC` answers next.
    var next = 0
    /// Whether the response to `EXEC` has begun and cannot be withdrawn.
    var hasBegun = false
    private var bytes = ByteBuffer()
    private var arguments: [RESPDecoder.Argument] = []
    private var ends: [End] = []

    /// The number of queued commands.
    var count: Int { ends.count }

    /// The memory of the queue.
    var heldBytes: Int {
      bytes.storageCapacity + arguments.capacity * MemoryLayout<RESPDecoder.Argument>.stride
        + ends.capacity * MemoryLayout<End>.stride
    }

    /// Queues a command. Its bytes are copied.
    mutating func append(_ request: borrowing RESPRequest) {
      let start = bytes.writerIndex
      for index in 0..<request.count {
        let first = bytes.writerIndex - start
        bytes.writeBytes(request[index].bytes)
        arguments.append(RESPDecoder.Argument(first..<bytes.writerIndex - start))
      }
      ends.append(End(byte: bytes.writerIndex, argument: arguments.count))
    }

    /// Discards the queued commands; `EXEC` fails.
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
