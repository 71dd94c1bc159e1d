#if Server
  import NIOCore

  // How a connection waits for its client, and how it ends.
  extension RESPConnection {
    @discardableResult
    func pauseIfNeeded() -> Bool {
      guard case .open = phase, !isWritable else { return false }
      phase = .waitingForReader
      // Some clients send all of their requests before they receive responses.
      read(acceptsInput)
      noteHeld()
      return true
    }

    /// Keeps input that arrives while the connection is waiting.
    func wait(_ received: consuming ByteBuffer) {
      backlog.append(&received)
      if !acceptsInput { read(false) }
      noteHeld()
    }

    /// Whether the client may send more requests before it receives responses.
    private var acceptsInput: Bool {
      !worker.isDraining && !hasTooManyUnread
    }

    private var hasTooManyUnread: Bool {
      input.readableBytes + backlog.byteCount >= worker.limits.unreadBytes
    }

    func waitForTurn() {
      phase = .waitingForTurn
      read(false)
      worker.wait(self)
    }

    func waitForLogin(_ delay: Duration) {
      guard let context else { return }
      phase = .waitingForLogin
      read(false)
      context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) { [self] in
        if case .waitingForLogin = phase { resume() }
      }
    }

    func resume() {
      phase = .open
      stall = nil
      answerInput()
      flush()
      pauseIfNeeded()
      worker.publishCounts()
      guard case .open = phase else { return }
      if worker.isDraining || isInputClosed { linger() } else { read(true) }
    }

    private func read(_ isOn: Bool) {
      // Fails if the channel is closed; then there is nothing to read.
      try? context?.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }

    private var unsentBytes: Int {
      (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    func noteHeld() {
      var bytes = watches.heldBytes
      if let transaction { bytes += transaction.heldBytes }
      switch phase {
      case .waitingForReader, .lingering: bytes += unsentBytes
      case .open, .waitingForTurn, .waitingForLogin, .closed: break
      }
      if bytes != heldBytes { worker.hold(bytes, self) }
      let unread = backlog.byteCount + (input.readableBytes > 0 ? input.storageCapacity : 0)
      if unread != unreadBytes { worker.holdUnread(unread, self) }
    }

    func dropInput() {
      input = ByteBuffer()
      backlog = RESPBacklog()
    }

    /// Checks whether the client exceeds a timeout.
    func check(at now: NIODeadline, isScarce: Bool) {
      let timeout = TimeAmount(worker.context.configuration.requestTimeout)
      let unsent = unsentBytes
      if unsent == 0 {
        stall = nil
        if case .lingering(let since) = phase {
          if now - since > worker.limits.lingering { cut() }
          return
        }
      } else if let stall, unsent >= stall.unsent,
        receivedBytes - stall.received < worker.limits.progressBytes
      {
        // Neither side can continue: the client waits for room to send its next request.
        if hasTooManyUnread, case .waitingForReader = phase,
          now - stall.since > worker.limits.unreadTimeout
        {
          return refuseUnread(worker.limits.unreadBytes, "a connection")
        }
        if now - stall.since > timeout { return cut(for: .slowReader) }
      } else {
        stall = (now, unsent, receivedBytes)
      }
      if !isStillAdmitted { return cut(for: .unauthorized) }
      if let commandBegan, now - commandBegan > timeout { return cut(for: .slowRequest) }
      if !client.isAdmitted, now - began > timeout { return cut(for: .slowRequest) }
      if isScarce, unsent == 0, now - lastRead > worker.limits.idle {
        cut(for: .connectionLimit)
      }
    }

    // MARK: The end

    func drain() {
      if case .open = phase {
        flush()
        linger()
      } else if case .waitingForReader = phase {
        read(false)
      }
    }

    /// Ends the connection, because there are too many unread requests.
    ///
    /// - Parameters:
    ///   - byteCount: the maximum
    ///   - scope: what it applies to
    func refuseUnread(_ byteCount: Int, _ scope: String) {
      // The rest of an image that is partly sent cannot be replaced by an error.
      if progress?.image?.begun != nil { return cut(for: .tooLarge) }
      close(
        .tooLarge,
        "ERR the unread requests exceed the maximum of \(scope), \(byteCount) bytes"
          + " (\(byteCount >> 20) MiB); read responses while sending")
    }

    /// Sends the reason and closes.
    func close(_ refusal: Refusal, _ message: String) {
      worker.refuse(refusal)
      worker.beginWriting(self)
      worker.output.error(message)
      linger()
    }

    /// Sends the remaining data, closes the server's side, and waits for the client to close.
    func linger() {
      flush()
      guard let context else { return }
      phase = .lingering(since: .now())
      progress = nil
      dropInput()
      noteHeld()
      context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete {
        [self] _ in
        if case .lingering = phase { phase = .lingering(since: .now()) }
        self.context?.channel.close(mode: .output, promise: nil)
      }
      read(true)
    }

    /// Closes at once.
    func cut(for refusal: Refusal? = nil) {
      if case .closed = phase { return }
      if let refusal { worker.refuse(refusal) }
      phase = .closed
      context?.close(promise: nil)
    }
  }
#endif
