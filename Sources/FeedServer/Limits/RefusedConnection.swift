#if Server
  import HTTPTypes
  import NIOCore

  /// A connection beyond the limit. It receives an error response and is closed.
  final class RefusedConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let response: ByteBuffer = {
      let problem = Problem(
        .serviceUnavailable, "there are too many connections", fields: [.retryAfter: "1"])
      let answer = problem.answer
      var body: [UInt8] = []
      if case .bytes(let bytes) = answer.body { body = bytes }
      var fields = answer.fields
      fields[.connection] = "close"
      fields[.contentLength] = "\(body.count)"
      var head = "HTTP/1.1 \(answer.status)\r\n"
      for field in fields { head += "\(field.name.rawName): \(field.value)\r\n" }
      return ByteBuffer(bytes: (head + "\r\n").utf8 + body)
    }()

    private let lingering: TimeAmount?

    /// - Parameter lingering: how long input is read, so that unread data does not discard the
    ///   response; nil if there is no room for that either.
    init(lingering: TimeAmount?) { self.lingering = lingering }

    func channelActive(context: ChannelHandlerContext) {
      let channel = context.channel
      let lingering = lingering
      context.writeAndFlush(wrapOutboundOut(Self.response)).whenComplete { _ in
        // The end of the output is sent first. Closing a connection with unread data sends a reset,
        // and a client that receives only this fails, though it has the response.
        channel.close(mode: .output, promise: nil)
        if lingering == nil { channel.close(promise: nil) }
      }
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
