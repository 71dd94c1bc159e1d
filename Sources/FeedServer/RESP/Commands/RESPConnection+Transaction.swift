#if Server
  import FeedStorage
  import NIOCore
  import RESPWire

  // `MULTI` and `EXEC`, which clients also use to have many commands answered at once.
  extension RESPConnection {
    /// How often `EXEC` begins again because a feed was replaced meanwhile.
    private static var longestPatience: Int { 16 }
    /// As many turns' work may be done so that all answers are of one generation.
    private static var longestAttempt: Int { 8 }

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

    /// `WATCH` promises a client that its own writes do not cross those of others. Here nobody
    /// writes, so there is nothing to be watched, and `EXEC` is never given up for it.
    func answerWatch() -> RESPOutcome {
      guard transaction == nil else { return fail("ERR WATCH inside MULTI is not allowed") }
      output.simple("OK")
      return .answered
    }

    /// Forgets what is queued.
    func endTransaction() {
      transaction = nil
      noteHeld()
    }

    /// As for all commands with too few or too many arguments. Within a transaction they end it.
    func failArity(_ command: RESPCommand) -> RESPOutcome {
      let reason = "wrong number of arguments for '\(command.name)' command"
      if command == .exec {
        endTransaction()
        return fail("EXECABORT Transaction discarded because of: \(reason)")
      }
      abortTransaction()
      return fail("ERR \(reason)")
    }

    /// Makes `EXEC` fail, if there is a transaction.
    func abortTransaction() {
      guard transaction != nil else { return }
      transaction?.abort()
      noteHeld()
    }

    /// Takes a command into the transaction.
    ///
    /// What is wrong with its subcommand or options is told by `EXEC`, in the command's place.
    ///
    /// - Returns: nil for a command that is answered at once all the same
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

    /// `EXEC`: the answers to all commands that are queued.
    ///
    /// All of them are of the same generation of each feed, however many commands read it, as long
    /// as the answers are no longer than what a connection sends in one turn (half a megabyte), take
    /// about eight turns of work at most (some thousand look-ups), and hold no image of several
    /// pieces. Longer ones are sent as the client takes them, and each command is answered by the
    /// feed as it is then.
    func answerExec() -> RESPOutcome {
      guard var transaction else { return fail("ERR EXEC without MULTI") }
      // What is queued is answered and not queued again.
      self.transaction = nil
      defer { noteHeld() }
      guard !transaction.isAborted else {
        return fail("EXECABORT Transaction discarded because of previous errors.")
      }
      let outcome: RESPOutcome
      if transaction.hasBegun {
        outcome = answerQueued(&transaction, turns: 1)
      } else {
        do throws(StoreError) {
          outcome = try answerConsistently(&transaction)
        } catch {
          return fail("ERR \(error.code): \(error.message)")
        }
      }
      client.command = .exec
      if outcome == .unfinished { self.transaction = transaction }
      return outcome
    }

    /// Answers all commands, and does it again where a feed was replaced between two of them.
    private func answerConsistently(
      _ transaction: inout RESPTransaction
    ) throws(StoreError) -> RESPOutcome {
      let start = output.buffer.writerIndex
      let sent = worker.sentBytes
      let clientBefore = client
      let workBefore = worker.keyspace.work
      defer { worker.keyspace.work += workBefore }
      for _ in 0..<Self.longestPatience {
        let epochs = try worker.keyspace.epochs()
        worker.keyspace.work = 0
        output.array(transaction.count)
        let outcome = answerQueued(&transaction, turns: Self.longestAttempt)
        guard outcome == .answered, worker.sentBytes == sent else { return outcome }
        // What cannot be read now is told by the next attempt, in place of these answers.
        if let now = try? worker.keyspace.epochs(), now == epochs { return outcome }
        output.buffer.moveWriterIndex(to: start)
        client = clientBefore
        output.version = client.version
        transaction.next = 0
      }
      throw StoreError(.busy, "the store changes faster than it can be read; ask again")
    }

    /// - Parameter turns: how many turns' work may be done before others get theirs.
    private func answerQueued(
      _ transaction: inout RESPTransaction, turns: Int
    ) -> RESPOutcome {
      defer { transaction.hasBegun = true }
      while transaction.next < transaction.count {
        let outcome = answer(transaction.request(transaction.next))
        switch outcome {
        case .answered: transaction.next += 1
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
