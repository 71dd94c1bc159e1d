#if Server
  import FeedServer
  import NIOCore
  import NIOPosix

  /// A client that sends all of its requests before it reads a response.
  enum RESPLateReader {
    private final class Collector: ChannelInboundHandler {
      typealias InboundIn = ByteBuffer

      private var bytes = ByteBuffer()
      private let end: EventLoopPromise<ByteBuffer>

      init(_ end: EventLoopPromise<ByteBuffer>) { self.end = end }

      func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var received = Self.unwrapInboundIn(data)
        bytes.writeBuffer(&received)
      }

      func channelInactive(context: ChannelHandlerContext) { end.succeed(bytes) }
    }

    /// Sends requests until the system has accepted all of them, and then reads to the end.
    static func responses(
      to requests: ByteBuffer, at address: ListenAddress
    ) async throws -> ByteBuffer {
      let group = MultiThreadedEventLoopGroup.singleton
      let end = group.next().makePromise(of: ByteBuffer.self)
      let bootstrap = ClientBootstrap(group: group)
        .channelOption(.autoRead, value: false)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(Collector(end))
          }
        }
      let channel: any Channel
      do {
        channel =
          switch address {
          case .tcp(let host, let port): try await bootstrap.connect(host: host, port: port).get()
          case .unix(let path): try await bootstrap.connect(unixDomainSocketPath: path).get()
          }
      } catch {
        end.fail(error)
        throw error
      }
      do {
        try await channel.writeAndFlush(requests)
        try await channel.close(mode: .output)
        try await channel.setOption(.autoRead, value: true).get()
      } catch {
        channel.close(promise: nil)
      }
      return try await end.futureResult.get()
    }
  }
#endif
