#if Server
  import NIOCore
  import RESPWire

  // Parses commands from the received bytes and answers them.
  extension RESPConnection {
    private var hasMoreToAnswer: Bool {
      switch phase {
      case .open, .waitingForReader, .waitingForTurn, .waitingForLogin: true
      case .lingering, .closed: false
      }
    }

    /// Copies the unanswered bytes, so that the receive buffer can be reused.
    func keep(_ rest: ByteBuffer) {
      guard rest.readableBytes > 0, hasMoreToAnswer else { return }
      input.clear(minimumCapacity: rest.readableBytes)
      input.writeImmutableBuffer(rest)
      noteHeld()
    }

    /// Answers the received input while the client receives the responses.
    func answerInput() {
      beginTurn()
      while true {
        var bytes = ByteBuffer()
        swap(&bytes, &input)
        answer(&bytes)
        bytes.discardReadBytes()
        if bytes.readableBytes == 0 || !hasMoreToAnswer { bytes = ByteBuffer() }
        swap(&bytes, &input)
        // The next chunk is added when this one is answered, so that few bytes are moved.
        guard case .open = phase, var chunk = backlog.next() else { break }
        if input.readableBytes == 0 { input = chunk } else { input.writeBuffer(&chunk) }
      }
      noteHeld()
    }

    /// Begins a connection's turn: its commands see the current state of the store.
    func beginTurn() {
      worker.keyspace.begin()
      worker.keyspace.work = 0
      worker.beginWriting(self)
    }

    /// Answers the complete commands while the client receives the responses.
    func answer(_ received: inout ByteBuffer) {
      isAnswering = true
      defer { isAnswering = false }
      // Moved out to avoid overlapping accesses.
      var decoder = RESPDecoder()
      swap(&decoder, &self.decoder)
      var consumed = 0
      do throws(RESPProtocolError) {
        let bytes = received.readableBytesUInt8Span
        var limit = KeyBatch.largest
        while consumed < bytes.count {
          let answered = answerBatch(bytes, &consumed, upTo: limit, decoder)
          guard answered == 0 || shouldContinue(after: .answered) else { break }
          if answered == limit {
            limit = min(2 * limit, KeyBatch.largest)
            continue
          }
          // If the first is another command, a search for many would cost more than it saves.
          limit = 1
          guard consumed < bytes.count, let outcome = try next(bytes, &consumed, &decoder),
            shouldContinue(after: outcome)
          else { break }
        }
      } catch {
        close(error.isLimit ? .tooLarge : .malformed, "ERR Protocol error: \(error.message)")
      }
      swap(&decoder, &self.decoder)
      received.moveReaderIndex(forwardBy: min(consumed, received.readableBytes))
      commandBegan = self.decoder.isWithinCommand ? commandBegan ?? lastRead : nil
    }

    /// Answers the next commands if they read records, and returns their number.
    private func answerBatch(
      _ bytes: Span<UInt8>, _ consumed: inout Int, upTo limit: Int,
      _ decoder: borrowing RESPDecoder
    ) -> Int {
      guard client.isAdmitted, progress == nil, transaction == nil else { return 0 }
      let answered = worker.keyspace.writeAnswers(
        bytes, from: consumed, upTo: limit, decoder, within: worker.limits.flushBytes,
        to: &worker.output)
      guard answered.count > 0 else { return 0 }
      consumed = answered.end
      client.command = .get
      worker.count(.get, answered.count, isError: false)
      return answered.count
    }

    /// Answers the next command; nil if it is incomplete.
    private func next(
      _ bytes: Span<UInt8>, _ consumed: inout Int, _ decoder: inout RESPDecoder
    ) throws(RESPProtocolError) -> RESPOutcome? {
      let rest = bytes.extracting(consumed..<bytes.count)
      // A command with an incomplete response stays in the decoder. Parsing a hundred thousand keys
      // again for each part of the response would take longer than looking them up.
      let length: Int
      if let unfinishedLength {
        length = unfinishedLength
        self.unfinishedLength = nil
      } else {
        guard let end = try decoder.next(rest) else { return nil }
        length = end
      }
      let outcome: RESPOutcome
      if decoder.arguments.isEmpty {
        outcome = .answered
      } else if decoder.isInline {
        outcome = answer(RESPRequest(decoder.words.span, decoder.arguments.span))
      } else {
        outcome = answer(RESPRequest(rest, decoder.arguments.span))
      }
      if decoder.limits.isUnauthenticated == client.isAdmitted {
        decoder.limits = client.isAdmitted ? RESPLimits() : .unauthenticated
      }
      if outcome == .unfinished { unfinishedLength = length } else { consumed += length }
      return outcome
    }

    private func shouldContinue(after outcome: RESPOutcome) -> Bool {
      switch outcome {
      case .answered, .unfinished:
        let isFull = worker.output.buffer.readableBytes >= worker.limits.flushBytes
        guard isFull || outcome == .unfinished || worker.keyspace.work > worker.limits.sliceBytes
        else { return true }
        flush()
        guard case .open = phase else { return false }
        if pauseIfNeeded() { return false }
        // A turn costs more than a flush. Others get their turn after enough work.
        guard worker.keyspace.work > worker.limits.sliceBytes else { return true }
        waitForTurn()
        return false
      case .close:
        linger()
        return false
      case .refuse(let refusal):
        worker.refuse(refusal)
        linger()
        return false
      }
    }

    /// Sends the responses.
    func flush() {
      guard worker.isWriter(self), let context else { return }
      guard let buffer = worker.takeOutput() else { return }
      worker.noteSent(buffer)
      context.writeAndFlush(Self.wrapOutboundOut(buffer), promise: nil)
      // Unless the socket was full, the buffer is no longer in use and can be filled again.
      worker.recycle(buffer)
    }

    /// Sends the responses after the other connections with pending commands are answered. Waking
    /// each client separately took a fifth of the time of pipelines of sixteen lookups.
    func flushLater() {
      guard worker.isWriter(self), let context else { return }
      guard let buffer = worker.takeCopy(upTo: worker.limits.copiedBytes) else { return flush() }
      worker.noteSent(buffer)
      context.write(Self.wrapOutboundOut(buffer), promise: nil)
      worker.flushLater(self, byteCount: buffer.readableBytes)
    }

    /// Whether responses can be sent to the client at once.
    var isWritable: Bool { context?.channel.isWritable ?? false }
  }
#endif
