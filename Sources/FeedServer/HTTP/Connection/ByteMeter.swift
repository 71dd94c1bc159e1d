#if Server
  import NIOCore

  /// Counts the bytes of a connection, and tells its handler when some arrive.
  final class ByteMeter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let metrics: ServerMetrics
    /// Learns how many bytes have arrived.
    var onArrival: ((Int) -> Void)?
    private var context: ChannelHandlerContext?
    /// All bytes that were to be sent so far.
    private(set) var writtenBytes = 0

    init(_ metrics: ServerMetrics) { self.metrics = metrics }

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

    /// Writes bytes that no encoder is to see.
    func write(_ bytes: IOData, _ promise: EventLoopPromise<Void>?) {
      guard let context else {
        promise?.fail(ChannelError.ioOnClosedChannel)
        return
      }
      write(context: context, data: wrapOutboundOut(bytes), promise: promise)
    }

    /// Flushes; the promise is kept when all that was written so far has been taken.
    func flush(_ promise: EventLoopPromise<Void>) {
      guard let context else { return promise.fail(ChannelError.ioOnClosedChannel) }
      context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: promise)
    }
  }
#endif
