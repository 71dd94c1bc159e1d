#if Server
  import Hummingbird
  import HummingbirdCore
  import Logging
  import NIOCore
  import NIOHTTP1

  /// Makes the pipelines of connections, and serves the requests that they pass on.
  struct HTTPChannel: Sendable {
    enum Connection: Sendable {
      case admitted(HTTP1Channel.Value)
      case refused
    }

    private let context: ServerContext
    private let connections: ConnectionList
    private let hot: HotAnswers
    private let limits: ConnectionLimits
    private let date = DateField()
    private let http1: HTTP1Channel

    init<Responder: HTTPResponder>(
      _ context: ServerContext, _ connections: ConnectionList, _ hot: HotAnswers,
      responder: Responder
    ) where Responder.Context == BasicRequestContext {
      self.context = context
      self.connections = connections
      self.hot = hot
      let limits = ConnectionLimits(context.configuration)
      self.limits = limits
      let date = date
      let logger = context.logger
      let configuration = HTTP1Channel.Configuration(
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: limits.headBytes, maxHeaderListSize: limits.headBytes,
          maxHeaderFieldCount: limits.fields))
      http1 = HTTP1Channel(
        responder: { request, writer, channel in
          let context = BasicRequestContext(
            source: ApplicationRequestContextSource(channel: channel, logger: logger))
          var response = try await responder.respond(to: request, context: context)
          response.headers[.date] = date.text
          try await writer.write(response: response.head, body: response.body)
        }, configuration: configuration)
    }

    /// Sets up a connection that was accepted.
    func connection(_ channel: any Channel) -> EventLoopFuture<Connection> {
      guard connections.add(channel) else {
        context.metrics.count(refusal: .connectionLimit, of: .http)
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(RefusedConnection())
          return .refused
        }
      }
      return http1.setup(channel: channel, logger: context.logger).flatMapThrowing { value in
        let pipeline = channel.pipeline.syncOperations
        let handler = ConnectionHandler(context, limits, date, hot)
        try pipeline.addHandler(handler.makeMeter(), position: .first)
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(handler, position: .after(decoder))
        return .admitted(value)
      }
    }

    func serve(_ connection: Connection) async {
      guard case .admitted(let value) = connection else { return }
      await http1.handle(value: value, logger: context.logger)
    }
  }
#endif
