#if Server
  import NIOCore
  import RESPWire

  /// One client: reads its commands, answers them in order, and keeps it from filling the memory.
  final class RESPConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
      /// Reads and answers.
      case open
      /// Waits until the client has taken enough of what was sent.
      case waitingForReader
      /// Goes on in the next turn of the loop, so that others get theirs.
      case waitingForTurn
      /// Has sent its last answer, and discards what comes until the client has closed, too: to
      /// close while there is something to be read would take the answers back.
      case lingering(since: NIODeadline)
      case closed
    }

    let worker: RESPWorker
    var client: RESPClient
    /// How far an answer of several parts has come that could not be sent at once.
    var progress: RESPProgress?
    /// What is kept for the client, as its worker knows.
    var heldBytes = 0
    private(set) var remoteAddress = ""
    private(set) var localAddress = ""
    let began = NIODeadline.now()
    private(set) var lastRead = NIODeadline.now()
    private var context: ChannelHandlerContext?
    private var decoder: RESPDecoder
    /// What has not been answered.
    private var input = ByteBuffer()
    private var phase = Phase.open
    private var isAnswering = false
    /// Since when the client has taken nothing, and how much it had not taken then.
    private var stall: (since: NIODeadline, bytes: Int)?
    private var commandBegan: NIODeadline?

    init(_ worker: RESPWorker) {
      self.worker = worker
      let isAdmitted = worker.context.configuration.credentials == nil
      client = RESPClient(identifier: RESPWorker.nextIdentifier(), isAdmitted: isAdmitted)
      decoder = RESPDecoder(limits: isAdmitted ? RESPLimits() : .unauthenticated)
    }

    var output: RESPOutput {
      _read { yield worker.output }
      _modify { yield &worker.output }
    }

    // MARK: Events

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
      let metrics = worker.context.metrics
      metrics.connectionOpened(.resp)
      remoteAddress = Self.text(context.remoteAddress)
      localAddress = Self.text(context.localAddress)
      worker.add(self)
      if worker.isDraining { return close(.stopping, "ERR the server is stopping") }
      if metrics.openConnections(.resp) > worker.context.configuration.maximumConnections {
        close(.connectionLimit, "ERR max number of clients reached")
      }
    }

    func channelInactive(context: ChannelHandlerContext) {
      phase = .closed
      progress = nil
      input = ByteBuffer()
      worker.context.metrics.connectionClosed(.resp)
      worker.remove(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var received = Self.unwrapInboundIn(data)
      worker.receivedBytes += received.readableBytes
      switch phase {
      case .open: break
      case .waitingForReader, .waitingForTurn:
        input.writeBuffer(&received)
        return
      case .lingering, .closed: return
      }
      lastRead = .now()
      if input.readableBytes == 0 {
        answer(&received)
        keep(received)
      } else {
        input.writeBuffer(&received)
        answerInput()
      }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      if case .closed = phase { return }
      flush()
      pauseIfNeeded()
      worker.publishCounts()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      guard context.channel.isWritable, !isAnswering, case .waitingForReader = phase else { return }
      goOn()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      phase = .closed
      context.close(promise: nil)
    }

    // MARK: Answering

    private var hasMoreToAnswer: Bool {
      switch phase {
      case .open, .waitingForReader, .waitingForTurn: true
      case .lingering, .closed: false
      }
    }

    /// Keeps a copy of what has not been answered, so that the buffer that was received into can be
    /// used again.
    private func keep(_ rest: ByteBuffer) {
      guard rest.readableBytes > 0, hasMoreToAnswer else { return }
      input.clear(minimumCapacity: rest.readableBytes)
      input.writeImmutableBuffer(rest)
      noteHeld()
    }

    private func answerInput() {
      var bytes = ByteBuffer()
      swap(&bytes, &input)
      answer(&bytes)
      bytes.discardReadBytes()
      if bytes.readableBytes == 0 || !hasMoreToAnswer { bytes = ByteBuffer() }
      swap(&bytes, &input)
      noteHeld()
    }

    /// Answers the commands that have come whole, as far as the client takes the answers.
    private func answer(_ received: inout ByteBuffer) {
      isAnswering = true
      defer { isAnswering = false }
      worker.keyspace.begin()
      worker.keyspace.work = 0
      worker.beginWriting(self)
      // Taken out, so that no other access to it can be under way.
      var decoder = RESPDecoder()
      swap(&decoder, &self.decoder)
      var consumed = 0
      do throws(RESPProtocolError) {
        let bytes = received.readableBytesUInt8Span
        var limit = KeyBatch.largest
        while consumed < bytes.count {
          let known = answerKnown(bytes, &consumed, upTo: limit, decoder)
          guard known == 0 || goesOn(after: .answered) else { break }
          if known == limit {
            limit = min(2 * limit, KeyBatch.largest)
            continue
          }
          // To look for many where the first is not known would cost more than it spares.
          limit = 1
          guard consumed < bytes.count, let outcome = try next(bytes, &consumed, &decoder),
            goesOn(after: outcome)
          else { break }
        }
      } catch {
        close(error.isLimit ? .tooLarge : .malformed, "ERR Protocol error: \(error.message)")
      }
      swap(&decoder, &self.decoder)
      received.moveReaderIndex(forwardBy: min(consumed, received.readableBytes))
      commandBegan = self.decoder.isWithinCommand ? commandBegan ?? lastRead : nil
    }

    /// Answers the next commands that get what was asked for lately, and gives their number.
    private func answerKnown(
      _ bytes: Span<UInt8>, _ consumed: inout Int, upTo limit: Int,
      _ decoder: borrowing RESPDecoder
    ) -> Int {
      guard client.isAdmitted, progress == nil,
        let known = worker.keyspace.writeKnown(
          bytes, from: consumed, upTo: limit, decoder, to: &worker.output)
      else { return 0 }
      consumed = known.end
      client.command = .get
      worker.count(.get, known.count, isError: false)
      return known.count
    }

    /// Answers the next command; nil where it has not come whole.
    private func next(
      _ bytes: Span<UInt8>, _ consumed: inout Int, _ decoder: inout RESPDecoder
    ) throws(RESPProtocolError) -> RESPOutcome? {
      let rest = bytes.extracting(consumed..<bytes.count)
      guard let length = try decoder.next(rest) else { return nil }
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
      // A command that has not been answered to its end is found again when that goes on.
      if outcome != .unfinished { consumed += length }
      return outcome
    }

    private func goesOn(after outcome: RESPOutcome) -> Bool {
      switch outcome {
      case .answered, .unfinished:
        let isFull = worker.output.buffer.readableBytes >= worker.limits.flushBytes
        guard isFull || outcome == .unfinished || worker.keyspace.work > worker.limits.sliceBytes
        else { return true }
        flush()
        guard case .open = phase else { return false }
        if pauseIfNeeded() { return false }
        guard outcome == .unfinished || worker.keyspace.work > worker.limits.sliceBytes else {
          return true
        }
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

    /// Sends what has been answered.
    func flush() {
      guard worker.isWriter(self), let context else { return }
      guard let buffer = worker.takeOutput() else { return }
      worker.sentBytes += buffer.readableBytes
      worker.keyspace.work += buffer.readableBytes
      context.writeAndFlush(Self.wrapOutboundOut(buffer), promise: nil)
      // Unless the socket was full nobody else has it any more, so that it can be filled again.
      worker.giveBack(buffer)
    }

    /// Whether answers can be sent to the client at once.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    // MARK: Waiting

    @discardableResult
    private func pauseIfNeeded() -> Bool {
      guard case .open = phase, !isWritable else { return false }
      phase = .waitingForReader
      read(false)
      noteHeld()
      return true
    }

    private func waitForTurn() {
      phase = .waitingForTurn
      read(false)
      context?.eventLoop.assumeIsolated().execute { [self] in
        if case .waitingForTurn = phase { goOn() }
      }
    }

    private func goOn() {
      phase = .open
      stall = nil
      answerInput()
      flush()
      pauseIfNeeded()
      worker.publishCounts()
      guard case .open = phase else { return }
      if worker.isDraining { linger() } else { read(true) }
    }

    private func read(_ isOn: Bool) {
      // Fails where the channel has been closed, and then there is nothing to be read.
      try? context?.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }

    private var unsentBytes: Int {
      (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    private func noteHeld() {
      var bytes = input.readableBytes > 0 ? input.storageCapacity : 0
      if case .waitingForReader = phase { bytes += unsentBytes }
      if bytes != heldBytes { worker.hold(bytes, self) }
    }

    /// Looks whether the client keeps the server waiting.
    func check(at now: NIODeadline, isScarce: Bool) {
      let timeout = TimeAmount(worker.context.configuration.requestTimeout)
      let unsent = unsentBytes
      if unsent == 0 {
        stall = nil
        if case .lingering(let since) = phase {
          if now - since > worker.limits.lingering { cut() }
          return
        }
      } else if let stall, unsent >= stall.bytes {
        if now - stall.since > timeout { return cut(for: .slowReader) }
      } else {
        stall = (now, unsent)
      }
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
      }
    }

    /// Says why, and ends.
    private func close(_ refusal: Refusal, _ message: String) {
      worker.refuse(refusal)
      worker.beginWriting(self)
      worker.output.error(message)
      linger()
    }

    /// Sends what is to be sent, tells the client that it was the last, and waits for it to close.
    private func linger() {
      flush()
      guard let context else { return }
      phase = .lingering(since: .now())
      progress = nil
      input = ByteBuffer()
      context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete {
        [self] _ in
        if case .lingering = phase { phase = .lingering(since: .now()) }
        self.context?.channel.close(mode: .output, promise: nil)
      }
      read(true)
    }

    /// Ends at once.
    func cut(for refusal: Refusal? = nil) {
      if case .closed = phase { return }
      if let refusal { worker.refuse(refusal) }
      phase = .closed
      context?.close(promise: nil)
    }

    private static func text(_ address: SocketAddress?) -> String {
      guard let address else { return "" }
      if let path = address.pathname { return "\(path):0" }
      return "\(address.ipAddress ?? ""):\(address.port ?? 0)"
    }
  }
#endif
