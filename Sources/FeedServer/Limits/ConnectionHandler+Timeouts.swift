#if Server
  import HTTPTypes
  import NIOCore

  // Timeouts of a client, and its write backlog.
  extension ConnectionHandler {
    func tick(_ context: ChannelHandlerContext) {
      let now = NIODeadline.now()
      switch phase {
      case .idle:
        if let headSince, now - headSince > limits.timeout {
          refuse(
            Problem(
              .requestTimeout, "the head of the request did not arrive in time",
              refusal: .slowRequest), context)
        } else if now - idleSince > (server.isStopping ? limits.lingering : limits.idleTimeout) {
          close(context, lingers: false)
        }
      case .answering(let exchange):
        let timeout = isInputClosed ? limits.halfClosedTimeout : limits.timeout
        if !exchange.hasHead, now - exchange.began > timeout {
          refuse(
            Problem(.serviceUnavailable, "the response was not ready in time", refusal: .deadline),
            context)
        }
      case .closing(let since):
        if now - since > limits.lingering, unsentBytes(context) == 0 {
          return end(context)
        }
      }
      dropSlowReader(now, context)
    }

    /// Closes a connection whose client has received nothing for too long.
    private func dropSlowReader(_ now: NIODeadline, _ context: ChannelHandlerContext) {
      let unsent = unsentBytes(context)
      let sent = (meter?.writtenBytes ?? 0) - unsent
      guard unsent > 0, sent == progress.sent else {
        progress = (sent, now)
        return
      }
      if now - progress.at > limits.timeout { cutOff(context) }
    }

    /// Ends the connection of a client that receives nothing.
    func cutOff(_ context: ChannelHandlerContext) {
      server.metrics.count(refusal: .slowReader, of: .http)
      end(context)
    }

    /// Releases the client's write backlog, because the client has received enough or is gone.
    func release(_ context: ChannelHandlerContext) {
      if isInBacklog { backlog.release(context.channel) }
      isInBacklog = false
      guard let writable else { return }
      if !context.channel.isActive {
        writable.fail(ChannelError.eof)
      } else if case .answering = phase {
        writable.succeed()
      } else {
        return
      }
      self.writable = nil
    }

    /// Whether more of the current response can be sent to the client.
    func canWrite(on channel: any Channel) -> Bool {
      if case .answering = phase { channel.isWritable } else { false }
    }

    /// Completes when more of the current response can be sent to the client. If the response was
    /// given up, it fails when the connection has ended.
    func writable(on channel: any Channel) -> EventLoopFuture<Void> {
      guard channel.isActive, writable == nil else {
        return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
      }
      if canWrite(on: channel) { return channel.eventLoop.makeSucceededVoidFuture() }
      let writable = channel.eventLoop.makePromise(of: Void.self)
      self.writable = writable
      return writable.futureResult
    }

    func unsentBytes(_ context: ChannelHandlerContext) -> Int {
      (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
  }

  /// Timeouts and size limits of an HTTP client.
  struct ConnectionLimits: Sendable {
    /// The timeout of a request's head, from its first byte to its last; of a response until it
    /// begins; and of a reader until it receives more.
    let timeout: TimeAmount
    /// The timeout of a response until it begins, if the client has closed its side. Most such
    /// clients are gone.
    let halfClosedTimeout: TimeAmount
    /// The timeout of a connection without a request.
    let idleTimeout: TimeAmount
    /// How often the timeouts are checked.
    let checkInterval: TimeAmount
    /// How long a connection is read after its last response. The client then receives the response
    /// before it notices that further input is not accepted.
    let lingering = TimeAmount.seconds(1)
    /// The maximum bytes of a request's target.
    let targetBytes = 8 << 10
    /// The maximum bytes of all fields of a head, and of one field.
    let headBytes = 32 << 10
    /// The maximum number of fields of a head.
    let fields = 100
    /// The maximum number of requests that wait on one connection for the current response.
    let waitingRequests = 256

    init(_ configuration: ServerConfiguration) {
      timeout = TimeAmount(configuration.requestTimeout)
      halfClosedTimeout = min(timeout, .seconds(5))
      idleTimeout = max(timeout, .seconds(60))
      checkInterval = max(
        .milliseconds(20), min(.seconds(1), .nanoseconds(timeout.nanoseconds / 4)))
    }
  }
#endif
