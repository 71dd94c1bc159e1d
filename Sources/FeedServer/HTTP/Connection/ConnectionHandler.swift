#if Server
  import HTTPTypes
  import NIOCore
  import NIOHTTP1

  /// One connection, between the HTTP decoder and Hummingbird.
  ///
  /// It forwards one request at a time, without its body, and rejects invalid ones itself. It also
  /// answers requests from the response cache or with a quick lookup in the store. It applies the
  /// client's timeouts and closes the connection when it has to end.
  final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    enum Phase {
      /// Waits for the head of a request.
      case idle
      /// A request was forwarded and is being answered.
      case answering(Exchange)
      /// The last response was given; further input is discarded.
      case closing(since: NIODeadline)
    }

    /// A request that is being answered.
    struct Exchange {
      let head: HTTPRequestHead
      let began: NIODeadline
      /// Whether the rest of the input is the request's body, which is discarded.
      var hasBody = false
      var hasHead = false
    }

    enum Waiting {
      case request(HTTPRequestHead)
      case refused(Problem)
    }

    let server: ServerContext
    let limits: ConnectionLimits
    private let date: DateField
    private let cache: ResponseCache
    private let records: RecordResponder
    private var check: RequestCheck
    let backlog: WriteBacklog
    var phase = Phase.idle
    var waiting = CircularBuffer<Waiting>()
    private var wantsRead = false
    private var isQuiescing = false
    var isInputClosed = false
    /// Whether the end of the connection is the end of the current or last body.
    var endsBody = false
    private var isDraining = false
    var needsFlush = false
    var idleSince = NIODeadline.now()
    /// When the first byte of an incomplete head arrived.
    var headSince: NIODeadline?
    /// The number of bytes since the last head.
    private var headBytes = 0
    private var ticker: RepeatedTask?
    var progress: (sent: Int, at: NIODeadline) = (0, .now())
    var meter: ByteMeter?
    private var headGuard: HeadGuard?
    /// Succeeds when more of a response can be sent.
    var writable: EventLoopPromise<Void>?
    var isInBacklog = false

    init(
      _ server: ServerContext, _ limits: ConnectionLimits, _ allowedHosts: AllowedHosts?,
      _ date: DateField, _ cache: ResponseCache, _ records: RecordResponder,
      _ backlog: WriteBacklog
    ) {
      self.server = server
      self.limits = limits
      check = RequestCheck(limits, allowedHosts)
      self.date = date
      self.cache = cache
      self.records = records
      self.backlog = backlog
    }

    /// The handler that counts this connection's bytes, for the head of the pipeline.
    func makeMeter() -> ByteMeter {
      let meter = ByteMeter(server.metrics)
      self.meter = meter
      return meter
    }

    /// The handler that checks the lines of heads, for the place before the decoder.
    func makeGuard() -> HeadGuard {
      let headGuard = HeadGuard(maximumLine: limits.targetBytes + 1024)
      self.headGuard = headGuard
      return headGuard
    }
  }

  // MARK: Inbound

  extension ConnectionHandler {
    func handlerAdded(context: ChannelHandlerContext) {
      // They retain each other until the connection ends. Reference counting is far slower for an
      // object with weak references.
      meter?.onArrival = { count in self.bytesArrived(count) }
      // The task ends with the context's channel; both belong to this event loop.
      let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
      ticker = context.eventLoop.scheduleRepeatedTask(
        initialDelay: limits.checkInterval, delay: limits.checkInterval
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
      // The decoder limits the bytes of the fields, but not those of the target.
      if case .idle = phase, headBytes > limits.targetBytes + limits.headBytes {
        refuse(Problem(HTTPParserError.headerOverflow, hasMethod: false), context)
      }
      flushIfNeeded(context)
      context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      guard let error = error as? HTTPParserError else { return end(context) }
      if case .closing = phase { return }
      waiting.append(.refused(Problem(error, hasMethod: headGuard?.hasMethod == true)))
      drain(context)
      flushIfNeeded(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      switch event {
      case WriteBacklog.Event.cutOff:
        isInBacklog = false
        if !context.channel.isWritable { cutOff(context) }
        return
      case is ChannelShouldQuiesceEvent:
        isQuiescing = true
        // A request may have arrived unread. It must not discard the response before it.
        if case .idle = phase { close(context) }
        return
      case ChannelEvent.inputClosed:
        isInputClosed = true
        if case .idle = phase, waiting.isEmpty { close(context) }
        // With a write backlog, the connection ends by itself once that is sent.
        if case .closing = phase, unsentBytes(context) == 0 { end(context) }
        // Hummingbird would not accept the waiting requests. The connection ends here, after their
        // responses.
        return
      default: break
      }
      context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      if context.channel.isWritable {
        release(context)
      } else {
        isInBacklog = true
        backlog.add(unsentBytes(context), for: context.channel)
      }
      drain(context)
      flushIfNeeded(context)
      context.fireChannelWritabilityChanged()
    }

    /// Reads nothing while requests wait. Input of a closing connection is read and discarded.
    func read(context: ChannelHandlerContext) {
      switch phase {
      case .idle where waiting.isEmpty, .closing: context.read()
      default: wantsRead = true
      }
    }

    /// Starts waiting requests until one is not answered at once.
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
      if let problem = check.problem(of: head) { return refuse(problem, context) }
      phase = .answering(Exchange(head: head, began: .now(), hasBody: check.hasBody))
      if sendCached(head, context) { return }
      var head = head
      // The host of an absolute target replaces the field (RFC 9112, section 3.2.2).
      if !head.uri.hasPrefix("/"), let authority = RequestTarget.authority(of: head.uri) {
        head.headers.replaceOrAdd(name: "Host", value: String(authority))
      }
      context.fireChannelRead(wrapInboundOut(.head(head)))
      context.fireChannelRead(wrapInboundOut(.end(nil)))
      context.fireChannelReadComplete()
    }
  }

  extension ConnectionHandler {
    /// Sends a cached or quickly made response, if there is one.
    private func sendCached(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> Bool {
      guard case .answering(let exchange) = phase, let meter, !isLast(exchange),
        cache.mayAnswer(head)
      else { return false }
      let cached = cache.answer(to: head)
      guard let answer = cached ?? records.answer(to: head) else { return false }
      answer.write(date: date.text, isFirst: cached == nil, on: context.eventLoop) {
        meter.write($0, $1)
      }
      answer.pattern.counter.add()
      server.metrics.countLookup(isFound: true)
      if cached != nil { server.metrics.countHot() }
      server.metrics.observe(.nanoseconds((NIODeadline.now() - exchange.began).nanoseconds))
      needsFlush = true
      phase = .idle
      idleSince = .now()
      return true
    }
  }

  extension HTTPRequestHead {
    /// Whether the decoder treats the following bytes as another protocol and reads no further
    /// request. A response in HTTP (RFC 9110, section 7.8) must then announce the end of the
    /// connection.
    fileprivate var endsDecoding: Bool { method == .CONNECT || headers.contains(name: "Upgrade") }
  }

  // MARK: Outbound

  extension ConnectionHandler {
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      guard case .answering(var exchange) = phase else {
        // The response was given up before.
        promise?.fail(ChannelError.ioOnClosedChannel)
        return
      }
      let request = exchange.head
      switch unwrapOutboundIn(data) {
      case .head(var head):
        exchange.hasHead = true
        phase = .answering(exchange)
        complete(&head, for: exchange)
        context.write(wrapOutboundOut(.head(head)), promise: promise)
      case .body(let body):
        if request.method == .HEAD {
          promise?.succeed()
        } else {
          context.write(wrapOutboundOut(.body(body)), promise: promise)
        }
      case .end(let trailers):
        // A response to HEAD has no last chunk.
        if request.method == .HEAD {
          promise?.succeed()
        } else {
          context.write(wrapOutboundOut(.end(trailers)), promise: promise)
        }
        finish(exchange, context)
      }
    }

    private func isLast(_ exchange: Exchange) -> Bool {
      isQuiescing || server.isStopping || isInputClosed && waiting.isEmpty || exchange.hasBody
        || endsBody || !exchange.head.isKeepAlive || exchange.head.endsDecoding
    }

    private func complete(_ head: inout HTTPResponseHead, for exchange: Exchange) {
      for field in server.commonFields {
        head.headers.replaceOrAdd(name: field.name, value: field.value)
      }
      let request = exchange.head
      // HTTP/1.0 has no chunks; without a length the end of the connection is the end of the body.
      if request.version.minor == 0 {
        head.version = .http1_0
        let hasBody = request.method != .HEAD && ![204, 304].contains(head.status.code)
        endsBody = hasBody && !head.headers.contains(name: "Content-Length")
      }
      if isLast(exchange) {
        head.headers.replaceOrAdd(name: "Connection", value: "close")
      } else if request.version.minor == 0 {
        // Its clients expect the end of the connection otherwise (RFC 9112, section 9.3).
        head.headers.replaceOrAdd(name: "Connection", value: "keep-alive")
      }
    }

    private func finish(_ exchange: Exchange, _ context: ChannelHandlerContext) {
      needsFlush = true
      if isLast(exchange) { return close(context) }
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

    /// Responds with a problem, and ends the connection if the client's further input cannot be
    /// parsed.
    func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
      if let refusal = problem.refusal { server.metrics.count(refusal: refusal, of: .http) }
      server.metrics.count(
        request: "refused", outcome: "\(problem.status.code)", over: .http)
      let answer = problem.answer
      var head = HTTPResponseHead(
        version: .http1_1, status: .init(statusCode: problem.status.code))
      for field in answer.fields {
        head.headers.add(name: field.name.rawName, value: field.value)
      }
      for field in server.commonFields { head.headers.add(name: field.name, value: field.value) }
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
