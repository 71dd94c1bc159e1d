#if Server
  import NIOCore

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  // How a connection ends.
  extension ConnectionHandler {
    /// Ends the connection once all that was written has been taken.
    ///
    /// - Parameter lingers: whether the client may still be sending: its side is read to the end
    ///   then, because a connection that is closed with something unread takes back what was
    ///   written (RFC 9112, section 9.6).
    func close(_ context: ChannelHandlerContext, lingers: Bool = true) {
      if case .closing = phase { return }
      phase = .closing(since: .now())
      waiting.removeAll()
      needsFlush = false
      let channel = context.channel
      let mode: CloseMode = lingers && !isInputClosed ? .output : .all
      let promise = context.eventLoop.makePromise(of: Void.self)
      promise.futureResult.whenComplete { _ in channel.close(mode: mode, promise: nil) }
      meter?.flush(promise)
      context.read()
    }

    /// Whoever else ends the connection: Hummingbird where an answer has failed, and the server.
    func close(
      context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
    ) {
      end(context, mode, promise)
    }

    /// Ends the connection now.
    ///
    /// A body that ends with the connection is whole to its client unless the connection says that
    /// there was an error (RFC 9112, section 8): with a part of one it is reset.
    func end(
      _ context: ChannelHandlerContext, _ mode: CloseMode = .all,
      _ promise: EventLoopPromise<Void>? = nil
    ) {
      guard isCutting(context, mode) else { return context.close(mode: mode, promise: promise) }
      // At once, on the loop of the channel. A Unix socket knows no such error.
      (context.channel as? any SocketOptionProvider)?
        .setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in }
      context.close(mode: .all, promise: promise)
    }

    /// Whether a client would take a part of a body for the whole.
    private func isCutting(_ context: ChannelHandlerContext, _ mode: CloseMode) -> Bool {
      guard endsBody else { return false }
      return switch (phase, mode) {
      case (_, .input), (.idle, _): false
      case (.answering, _): true
      // What was written is still sent before the server's side alone is closed.
      case (.closing, .output): false
      case (.closing, .all): unsentBytes(context) > 0
      }
    }
  }
#endif
