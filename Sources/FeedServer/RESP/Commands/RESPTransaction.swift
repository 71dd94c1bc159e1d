#if Server
  import FeedStorage
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

  // `MULTI` and `EXEC`, which clients also use to run many commands at once.
  extension RESPConnection {
    /// The maximum work, in turns, up to which all responses come from one generation.
    private static var maximumTurns: Int { 8 }

    func answerMulti() -> RESPOutcome {
      guard transaction == nil else { return fail("ERR MULTI calls can not be nested") }
      transaction = RESPTransaction()
      output.simple("OK")
      return .answered
    }

    func answerDiscard() -> RESPOutcome {
      guard transaction != nil else { return fail("ERR DISCARD without MULTI") }
      endTransaction()
      output.simple("OK")
      return .answered
    }

    /// Discards the queued commands and the watches.
    func endTransaction() {
      transaction = nil
      watches = RESPWatches()
      noteHeld()
    }

    /// The error for a wrong number of arguments. Within a transaction it aborts the transaction.
    func failArity(_ command: RESPCommand) -> RESPOutcome {
      let reason = "wrong number of arguments for '\(command.name)' command"
      if command == .exec {
        endTransaction()
        return fail("EXECABORT Transaction discarded because of: \(reason)")
      }
      abortTransaction()
      return fail("ERR \(reason)")
    }

    /// Makes `EXEC` fail if there is a transaction.
    func abortTransaction() {
      guard transaction != nil else { return }
      transaction?.abort()
      noteHeld()
    }

    /// Queues a command.
    ///
    /// Errors in its subcommand or options are reported by `EXEC`, at the command's position.
    ///
    /// - Returns: nil for a command that is answered at once anyway
    func queue(_ command: RESPCommand, _ request: borrowing RESPRequest) -> RESPOutcome? {
      switch command {
      case .multi, .exec, .discard, .watch, .quit, .reset: return nil
      case .write, .unknown:
        abortTransaction()
        return nil
      default: break
      }
      guard transaction?.isAborted == false else {
        output.simple("QUEUED")
        return .answered
      }
      transaction?.append(request)
      let limits = worker.limits
      let held = transaction?.heldBytes ?? 0
      guard transaction?.count ?? 0 <= limits.transactionCommands,
        held <= limits.transactionBytes,
        worker.heldBytes - heldBytes + held <= limits.heldBytes
      else {
        abortTransaction()
        worker.refuse(.tooLarge)
        return fail("ERR the transaction is too large")
      }
      noteHeld()
      output.simple("QUEUED")
      return .answered
    }

    // MARK: EXEC

    /// `EXEC`: the responses to all queued commands; null if a watched feed or image has changed.
    ///
    /// All commands see the same generation of each feed under three conditions. The responses are
    /// no longer than what a connection sends in one turn (half a megabyte). They take about eight
    /// turns of work at most (some thousand lookups). They contain no image of several chunks.
    /// Longer responses are sent as the client receives them, and each command then sees the
    /// current feed.
    func answerExec() -> RESPOutcome {
      guard var transaction else { return fail("ERR EXEC without MULTI") }
      // Queued commands are answered and not queued again.
      self.transaction = nil
      defer { noteHeld() }
      let watches = watches
      self.watches = RESPWatches()
      guard !transaction.isAborted else {
        return fail("EXECABORT Transaction discarded because of previous errors.")
      }
      let turns: Int
      if transaction.hasBegun {
        turns = 1
      } else {
        // Until the next `begin`, the worker reads each feed from the generation that it finds
        // first.
        worker.keyspace.begin()
        do throws(StoreError) {
          guard try worker.keyspace.areUnchanged(watches) else {
            output.nullArray()
            return .answered
          }
        } catch {
          return fail(error)
        }
        output.array(transaction.count)
        turns = Self.maximumTurns
      }
      let workBefore = worker.keyspace.work
      worker.keyspace.work = 0
      let outcome = answerQueued(&transaction, turns: turns)
      worker.keyspace.work += workBefore
      client.command = .exec
      if outcome == .unfinished { self.transaction = transaction }
      return outcome
    }

    /// - Parameter turns: the work in turns before other connections get their turn.
    private func answerQueued(
      _ transaction: inout RESPTransaction, turns: Int
    ) -> RESPOutcome {
      defer { transaction.hasBegun = true }
      while transaction.next < transaction.count {
        let outcome = answer(transaction.request(transaction.next))
        switch outcome {
        case .answered: transaction.next += 1
        case .unfinished where login != nil: return outcome
        case .unfinished: break
        case .close, .refuse: return outcome
        }
        let isWhole = outcome == .answered && transaction.next == transaction.count
        if !isWhole, hasDoneEnough(turns: turns) { return .unfinished }
      }
      return .answered
    }

    private func hasDoneEnough(turns: Int) -> Bool {
      let turn = worker.limits.sliceBytes
      return !isWritable || output.buffer.readableBytes >= turn
        || worker.keyspace.work >= turns * turn
    }
  }
#endif
