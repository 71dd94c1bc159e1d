#if Server
  import NIOCore

  /// A connection beyond the limit. It receives an error response and is closed.
  final class RefusedConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let answer = """
      HTTP/1.1 503 Service Unavailable\r
      Content-Type: application/problem+json\r
      Cache-Control: no-store\r
      Retry-After: 1\r
      Connection: close\r
      Content-Length: 107\r
      \r
      {"type":"about:blank","title":"Service Unavailable","status":503,"detail":"there are too many connections"}
      """

    private let lingering: TimeAmount?

    /// - Parameter lingering: how long input is read, so that unread data does not discard the
    ///   response; nil if there is no room for that either.
    init(lingering: TimeAmount?) { self.lingering = lingering }

    func channelActive(context: ChannelHandlerContext) {
      let channel = context.channel
      let mode = lingering == nil ? CloseMode.all : .output
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.answer)))
        .whenComplete { _ in channel.close(mode: mode, promise: nil) }
      if let lingering {
        let timer = context.eventLoop.scheduleTask(in: lingering) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
      }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case ChannelEvent.inputClosed = event { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
#endif
