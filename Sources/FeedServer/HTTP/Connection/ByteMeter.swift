#if Server
  import NIOCore

  /// Counts the bytes of a connection, and notifies its handler when some arrive.
  final class ByteMeter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let metrics: ServerCounters
    /// Receives the number of bytes that have arrived.
    var onArrival: ((Int) -> Void)?
    private var context: ChannelHandlerContext?
    /// The total of bytes written so far, sent or not.
    private(set) var writtenBytes = 0

    init(_ metrics: ServerCounters) { self.metrics = metrics }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let count = unwrapInboundIn(data).readableBytes
      metrics.count(received: count, over: .http)
      onArrival?(count)
      context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      let count = unwrapOutboundIn(data).readableBytes
      writtenBytes += count
      metrics.count(sent: count, over: .http)
      context.write(data, promise: promise)
    }

    /// Writes bytes that bypass the encoder.
    func write(_ bytes: IOData, _ promise: EventLoopPromise<Void>?) {
      guard let context else {
        promise?.fail(ChannelError.ioOnClosedChannel)
        return
      }
      write(context: context, data: wrapOutboundOut(bytes), promise: promise)
    }

    /// Flushes. The promise succeeds when all bytes written so far have been sent.
    func flush(_ promise: EventLoopPromise<Void>) {
      guard let context else { return promise.fail(ChannelError.ioOnClosedChannel) }
      context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: promise)
    }
  }
#endif
