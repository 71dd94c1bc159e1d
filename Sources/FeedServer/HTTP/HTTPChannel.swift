#if Server
  import FeedAPI
  import Hummingbird
  import HummingbirdCore
  import Logging
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import Synchronization

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Sets up the pipelines of connections, and serves the requests that they forward.
  struct HTTPChannel: Sendable {
    private let context: ServerContext
    private let connections: ConnectionList
    private let cache: ResponseCache
    private let records: RecordResponder
    private let backlog = WriteBacklog()
    private let limits: ConnectionLimits
    private let allowedHosts: AllowedHosts?
    private let date = DateField()
    private let http1: HTTP1Channel

    init<Responder: HTTPResponder>(
      _ context: ServerContext, _ connections: ConnectionList, _ cache: ResponseCache,
      responder: Responder
    ) where Responder.Context == ServerRequestContext {
      self.context = context
      self.connections = connections
      self.cache = cache
      records = RecordResponder(context, cache)
      let limits = ConnectionLimits(context.configuration)
      self.limits = limits
      allowedHosts = AllowedHosts(context.configuration)
      let date = date
      let logger = context.logger
      let configuration = HTTP1Channel.Configuration(
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: limits.headBytes, maxHeaderListSize: limits.headBytes,
          maxHeaderFieldCount: limits.fields))
      http1 = HTTP1Channel(
        responder: { request, writer, channel in
          var context = ServerRequestContext(
            source: ApplicationRequestContextSource(channel: channel, logger: logger))
          let routed = context.prepare(request)
          var response = try await responder.respond(to: routed, context: context)
          response.headers[.date] = date.text
          try await writer.write(response: response.head, body: response.body)
        }, configuration: configuration)
    }

    /// The bootstrap that listens and accepts connections.
    func bootstrap(_ group: MultiThreadedEventLoopGroup) -> ServerBootstrap {
      ServerBootstrap(group: group)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelOption(.maxMessagesPerRead, value: 1)
        .childChannelOption(
          .recvAllocator,
          value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1024, maximum: 16 << 10)
        )
        .childChannelInitializer { channel in accept(channel) }
    }

    /// Sets up an accepted connection and serves it until it ends.
    private func accept(_ channel: any Channel) -> EventLoopFuture<Void> {
      guard connections.add(channel) else {
        context.metrics.count(refusal: .connectionLimit, of: .http)
        let lingering = connections.keepRefused(channel) ? limits.lingering : nil
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(RefusedConnection(lingering: lingering))
        }
      }
      return http1.setup(channel: channel, logger: context.logger).flatMapThrowing { value in
        // Runs in every case: an unused NIOAsyncChannel ends the process. For the same reason it
        // does not wait in a stream, which would drop it if the server has just been stopped.
        defer {
          connections.serve(channel) { await http1.handle(value: value, logger: context.logger) }
        }
        let pipeline = channel.pipeline.syncOperations
        let handler = ConnectionHandler(
          context, limits, channel.isLoopback ? allowedHosts : nil, date, cache, records, backlog)
        try pipeline.addHandler(handler.makeGuard(), position: .first)
        try pipeline.addHandler(handler.makeMeter(), position: .first)
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(handler, position: .after(decoder))
      }
    }
  }

  /// The value of the field `Date`, updated once a second.
  final class DateField: Sendable {
    private struct Made {
      var second = -Double.infinity
      var text = ""
    }

    private let made = Mutex(Made())

    var text: String {
      let second = Date().timeIntervalSinceReferenceDate.rounded(.down)
      return made.withLock { made in
        if made.second != second {
          made.second = second
          made.text = HTTPDate.text(referenceSeconds: second) ?? ""
        }
        return made.text
      }
    }
  }
#endif
