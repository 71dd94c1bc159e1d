#if Server
  import NIOCore

  /// A connection for which there is no room: it is told so and closed.
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

    func channelActive(context: ChannelHandlerContext) {
      let channel = context.channel
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.answer)))
        .whenComplete { _ in channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
  }
#endif
