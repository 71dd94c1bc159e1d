#if Server
  import NIOCore
  import RESPWire

  /// One client: reads its commands, answers them in order, and limits its memory.
  final class RESPConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Phase {
      /// Reads and answers.
      case open
      /// Waits until the client has received enough of what was sent.
      case waitingForReader
      /// Continues when others have had their turn.
      case waitingForTurn
      /// Continues when the answer to a login is due.
      case waitingForLogin
      /// Has sent its last response, and discards input until the client has closed, too. Closing
      /// with unread input would discard the responses.
      case lingering(since: NIODeadline)
      case closed
    }

    let worker: RESPWorker
    var client: RESPClient
    /// The progress of a response in parts that could not be sent at once.
    var progress: RESPProgress?
    /// The answer to a login that is delayed.
    var login: RESPLogin?
    /// The number of failed logins since the last success.
    var failedLogins = 0
    /// The length of the command that the response belongs to.
    var unfinishedLength: Int?
    /// The commands queued for `EXEC`; nil without `MULTI`.
    var transaction: RESPTransaction?
    /// What is watched until the next `EXEC`.
    var watches = RESPWatches()
    /// The memory held for the client, as its worker has counted it.
    var heldBytes = 0
    /// The memory of its unread requests, as its worker has counted it.
    var unreadBytes = 0
    private(set) var remoteAddress = ""
    private(set) var localAddress = ""
    let began = NIODeadline.now()
    private(set) var lastRead = NIODeadline.now()
    var context: ChannelHandlerContext?
    var decoder: RESPDecoder
    /// The unanswered input, from the start of a command.
    var input = ByteBuffer()
    /// The input that has arrived after it, while the connection was waiting.
    var backlog = RESPBacklog()
    var phase = Phase.open
    var isAnswering = false
    /// Whether the client has closed its side.
    private(set) var isInputClosed = false
    /// When the client stopped receiving, the unsent bytes, and what it had sent at that time.
    var stall: (since: NIODeadline, unsent: Int, received: Int)?
    /// The bytes that the client has sent.
    private(set) var receivedBytes = 0
    var commandBegan: NIODeadline?

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
      let maximum = worker.context.configuration.maximumConnections
      let open = metrics.openConnections(.resp)
      guard open > maximum else { return }
      close(.connectionLimit, "ERR max number of clients reached")
      // If many connections are refused, the server does not wait for them to close.
      if open > maximum + max(maximum / 4, 1) { cut() }
    }

    func channelInactive(context: ChannelHandlerContext) {
      phase = .closed
      progress = nil
      dropInput()
      worker.context.metrics.connectionClosed(.resp)
      worker.remove(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var received = Self.unwrapInboundIn(data)
      worker.receivedBytes += received.readableBytes
      receivedBytes += received.readableBytes
      switch phase {
      case .open: break
      case .waitingForReader, .waitingForTurn, .waitingForLogin:
        lastRead = .now()
        return wait(received)
      case .lingering, .closed: return
      }
      lastRead = .now()
      worker.flushOverdue(at: lastRead)
      if input.readableBytes == 0 {
        beginTurn()
        answer(&received)
        keep(received)
      } else {
        input.writeBuffer(&received)
        answerInput()
      }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      if case .closed = phase { return }
      flushLater()
      pauseIfNeeded()
      worker.publishCounts()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      guard case ChannelEvent.inputClosed = event else {
        return context.fireUserInboundEventTriggered(event)
      }
      isInputClosed = true
      // If it is waiting, it continues and ends after its last response.
      if case .open = phase { linger() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      guard context.channel.isWritable, !isAnswering, case .waitingForReader = phase else { return }
      resume()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      phase = .closed
      context.close(promise: nil)
    }

    private static func text(_ address: SocketAddress?) -> String {
      guard let address else { return "" }
      if let path = address.pathname { return "\(path):0" }
      return "\(address.ipAddress ?? ""):\(address.port ?? 0)"
    }
  }

  /// What is known about the client of a connection.
  struct RESPClient: Sendable {
    let identifier: Int
    /// The protocol version, 2 or 3.
    var version = 2
    /// Whether the client may read the store.
    var isAdmitted: Bool
    /// The identity with which it was admitted; nil if none was required.
    var identity: Credentials.Identity?
    /// The number of replacements of the credentials when the identity was last verified.
    var verifiedAfter = 0
    var name = ""
    var libraryName = ""
    var libraryVersion = ""
    /// The last command.
    var command = RESPCommand.unknown
  }
#endif
