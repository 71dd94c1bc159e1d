#if Server
  import NIOCore

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  // How a connection ends.
  extension ConnectionHandler {
    /// Ends the connection once all written data has been sent.
    ///
    /// - Parameter lingers: whether the client may still be sending. Its side is then read to the
    ///   end, because closing a connection with unread data can discard the response (RFC 9112,
    ///   section 9.6).
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

    /// Called when Hummingbird, after a failed response, or the server ends the connection.
    func close(
      context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
    ) {
      end(context, mode, promise)
    }

    /// Ends the connection now.
    ///
    /// A body that ends with the connection counts as complete unless the connection signals an
    /// error (RFC 9112, section 8). An incomplete body therefore ends with a reset.
    func end(
      _ context: ChannelHandlerContext, _ mode: CloseMode = .all,
      _ promise: EventLoopPromise<Void>? = nil
    ) {
      guard isCutting(context, mode) else { return context.close(mode: mode, promise: promise) }
      // Completes at once, on the channel's event loop. Unix sockets do not support a reset.
      (context.channel as? any SocketOptionProvider)?
        .setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in }
      context.close(mode: .all, promise: promise)
    }

    /// Whether the client would mistake an incomplete body for a complete one.
    private func isCutting(_ context: ChannelHandlerContext, _ mode: CloseMode) -> Bool {
      guard endsBody else { return false }
      return switch (phase, mode) {
      case (_, .input), (.idle, _): false
      case (.answering, _): true
      // Written data is still sent if only the server's side closes.
      case (.closing, .output): false
      case (.closing, .all): unsentBytes(context) > 0
      }
    }
  }
#endif
