#if Server
  import HTTPTypes
  import NIOCore
  import NIOHTTP1

  /// One connection, between the HTTP decoder and Hummingbird.
  ///
  /// It passes on one request at a time, and those alone that are in order and have no body: all
  /// others it answers itself, and so it does those that take no more than a look into the store.
  /// It keeps the times that a client may take, and closes the connection where it has to end.
  final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    enum Phase {
      /// Waits for the head of a request.
      case idle
      /// A request was passed on and is being answered.
      case answering(Exchange)
      /// The last answer was given; what comes is not read any more.
      case closing(since: NIODeadline)
    }

    /// A request that is being answered.
    struct Exchange {
      let head: HTTPRequestHead
      let began: NIODeadline
      var hasHead = false
    }

    enum Waiting {
      case request(HTTPRequestHead)
      case refused(Problem)
    }

    let server: ServerContext
    let limits: ConnectionLimits
    private let date: DateField
    private let hot: HotAnswers
    private let records: RecordAnswers
    let held: HeldAnswers
    var phase = Phase.idle
    var waiting = CircularBuffer<Waiting>()
    private var wantsRead = false
    private var isQuiescing = false
    var isInputClosed = false
    /// Whether the end of the connection is the end of the body under way, or of the last one.
    var endsBody = false
    private var isDraining = false
    var needsFlush = false
    var idleSince = NIODeadline.now()
    /// When the first byte of a head came that is not whole yet.
    var headSince: NIODeadline?
    /// How many bytes came since the last head.
    private var headBytes = 0
    private var ticker: RepeatedTask?
    var progress: (taken: Int, at: NIODeadline) = (0, .now())
    var meter: ByteMeter?
    /// Kept when more of an answer can be sent.
    var room: EventLoopPromise<Void>?
    var isHeld = false

    init(
      _ server: ServerContext, _ limits: ConnectionLimits, _ date: DateField, _ hot: HotAnswers,
      _ records: RecordAnswers, _ held: HeldAnswers
    ) {
      self.server = server
      self.limits = limits
      self.date = date
      self.hot = hot
      self.records = records
      self.held = held
    }

    /// The handler that counts this one's bytes, to stand at the head of the pipeline.
    func makeMeter() -> ByteMeter {
      let meter = ByteMeter(server.metrics)
      self.meter = meter
      return meter
    }
  }

  // MARK: What comes

  extension ConnectionHandler {
    func handlerAdded(context: ChannelHandlerContext) {
      // They hold each other until the connection ends: an object to which a weak reference leads
      // is counted far more slowly.
      meter?.onArrival = { count in self.bytesArrived(count) }
      // The task ends with the channel, which the context belongs to; both are of this loop.
      let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
      ticker = context.eventLoop.scheduleRepeatedTask(
        initialDelay: limits.interval, delay: limits.interval
      ) { _ in
        bound.value.handler.tick(bound.value.context)
      }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
      ticker?.cancel()
      meter?.onArrival = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
      ticker?.cancel()
      release(context)
      context.fireChannelInactive()
    }

    private func bytesArrived(_ count: Int) {
      guard case .idle = phase else { return }
      if headSince == nil { headSince = .now() }
      headBytes += count
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard case .head(let head) = unwrapInboundIn(data) else { return }
      headSince = nil
      headBytes = 0
      if case .closing = phase { return }
      guard waiting.count < limits.waitingRequests else {
        waiting.append(
          .refused(
            Problem(
              .tooManyRequests, "too many requests wait on this connection", refusal: .tooLarge)))
        return drain(context)
      }
      waiting.append(.request(head))
      drain(context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      // The decoder counts the bytes of fields, and not those of the target.
      if case .idle = phase, headBytes > limits.targetBytes + limits.headBytes {
        refuse(Problem(HTTPParserError.headerOverflow), context)
      }
      flushIfNeeded(context)
      context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      guard let error = error as? HTTPParserError else { return end(context) }
      if case .closing = phase { return }
      waiting.append(.refused(Problem(error)))
      drain(context)
      flushIfNeeded(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      switch event {
      case HeldAnswers.Event.cutOff:
        isHeld = false
        if !context.channel.isWritable { cutOff(context) }
        return
      case is ChannelShouldQuiesceEvent:
        isQuiescing = true
        // A request may have come that was not read: it must not take back the answer before it.
        if case .idle = phase { close(context) }
        return
      case ChannelEvent.inputClosed:
        isInputClosed = true
        if case .idle = phase, waiting.isEmpty { close(context) }
        // Behind what is still to be taken it ends by itself.
        if case .closing = phase, unsentBytes(context) == 0 { end(context) }
        // Hummingbird would take none of the requests that still wait: the connection ends here,
        // behind their answers.
        return
      default: break
      }
      context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      if context.channel.isWritable {
        release(context)
      } else {
        isHeld = true
        held.hold(unsentBytes(context), for: context.channel)
      }
      drain(context)
      flushIfNeeded(context)
      context.fireChannelWritabilityChanged()
    }

    /// Nothing more is read while requests wait; what a closed connection sends is read and
    /// thrown away.
    func read(context: ChannelHandlerContext) {
      switch phase {
      case .idle where waiting.isEmpty, .closing: context.read()
      default: wantsRead = true
      }
    }

    /// Begins with the requests that wait, until one takes its time.
    private func drain(_ context: ChannelHandlerContext) {
      if isDraining { return }
      isDraining = true
      while case .idle = phase, context.channel.isWritable, let next = waiting.popFirst() {
        switch next {
        case .request(let head): begin(head, context)
        case .refused(let problem): refuse(problem, context)
        }
      }
      isDraining = false
      guard case .idle = phase, waiting.isEmpty else { return }
      if isQuiescing || isInputClosed { return close(context) }
      if wantsRead {
        wantsRead = false
        context.read()
      }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
      phase = .answering(Exchange(head: head, began: .now()))
      if let problem = RequestCheck.problem(of: head, limits) {
        return refuse(problem, context)
      }
      if giveAtHand(head, context) { return }
      context.fireChannelRead(wrapInboundOut(.head(head)))
      context.fireChannelRead(wrapInboundOut(.end(nil)))
      context.fireChannelReadComplete()
    }
  }

  extension ConnectionHandler {
    /// Gives an answer that is at hand, or made at once, if there is one.
    private func giveAtHand(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> Bool {
      guard case .answering(let exchange) = phase, let meter, !isLast(head), hot.mayAnswer(head)
      else { return false }
      let kept = hot.answer(to: head)
      guard let answer = kept ?? records.answer(to: head) else { return false }
      answer.write(date: date.text, isFirst: kept == nil, on: context.eventLoop) {
        meter.write($0, $1)
      }
      answer.pattern.counter.add()
      server.metrics.countLookup(isFound: true)
      if kept != nil { server.metrics.countHot() }
      server.metrics.observe(
        .nanoseconds((NIODeadline.now() - exchange.began).nanoseconds), over: .http)
      needsFlush = true
      phase = .idle
      idleSince = .now()
      return true
    }
  }

  extension HTTPRequestHead {
    /// Whether the decoder takes what comes behind for another protocol, and reads no further
    /// request: who answers in HTTP all the same (RFC 9110, section 7.8) has to say that the
    /// connection ends.
    fileprivate var endsDecoding: Bool { method == .CONNECT || headers.contains(name: "Upgrade") }
  }

  // MARK: What goes

  extension ConnectionHandler {
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      guard case .answering(var exchange) = phase else {
        // The answer was given up before.
        promise?.fail(ChannelError.ioOnClosedChannel)
        return
      }
      let request = exchange.head
      switch unwrapOutboundIn(data) {
      case .head(var head):
        exchange.hasHead = true
        phase = .answering(exchange)
        complete(&head, for: request)
        context.write(wrapOutboundOut(.head(head)), promise: promise)
      case .body(let body):
        if request.method == .HEAD {
          promise?.succeed()
        } else {
          context.write(wrapOutboundOut(.body(body)), promise: promise)
        }
      case .end(let trailers):
        // Behind an answer to HEAD stands no last chunk.
        if request.method == .HEAD {
          promise?.succeed()
        } else {
          context.write(wrapOutboundOut(.end(trailers)), promise: promise)
        }
        finish(request, context)
      }
    }

    private func isLast(_ request: HTTPRequestHead) -> Bool {
      isQuiescing || server.isStopping || isInputClosed && waiting.isEmpty || !request.isKeepAlive
        || request.version.minor == 0 || request.endsDecoding
    }

    private func complete(_ head: inout HTTPResponseHead, for request: HTTPRequestHead) {
      // An old client knows no chunks; the end of the connection is the end of the body.
      if request.version.minor == 0 {
        head.version = .http1_0
        endsBody = request.method != .HEAD && !head.headers.contains(name: "Content-Length")
      }
      if isLast(request) { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    }

    private func finish(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
      needsFlush = true
      if isLast(request) { return close(context) }
      phase = .idle
      idleSince = .now()
      progress.at = .now()
      drain(context)
      flushIfNeeded(context)
    }

    private func flushIfNeeded(_ context: ChannelHandlerContext) {
      guard needsFlush else { return }
      needsFlush = false
      context.flush()
    }

    /// Answers with a problem, and ends the connection where the client cannot be followed on.
    func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
      if let refusal = problem.refusal { server.metrics.count(refusal: refusal, of: .http) }
      server.metrics.count(
        request: "refused", outcome: "\(problem.status.code)", over: .http, took: nil)
      let answer = problem.answer
      var head = HTTPResponseHead(
        version: .http1_1, status: .init(statusCode: problem.status.code))
      for field in answer.fields {
        head.headers.add(name: field.name.rawName, value: field.value)
      }
      head.headers.add(name: "Date", value: date.text)
      head.headers.add(name: "Connection", value: "close")
      var body = ByteBuffer()
      if case .bytes(let bytes) = answer.body { body.writeBytes(bytes) }
      head.headers.add(name: "Content-Length", value: "\(body.readableBytes)")
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      if case .answering(let exchange) = phase, exchange.head.method == .HEAD {
        body.clear()
      }
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
      context.write(wrapOutboundOut(.end(nil)), promise: nil)
      close(context)
    }
  }
#endif
