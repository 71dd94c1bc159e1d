#if Server
  import NIOCore

  /// The pace at which a client takes the pieces of its answer.
  ///
  /// Without it pieces would gather on their way: Hummingbird's writer learns that a client takes
  /// nothing only when the loop has come to what was written before.
  struct ClientPace: Sendable {
    /// As many pieces are made at once, and the others when these have arrived at their
    /// connections: else all clients that ask at once would have one in memory. Who has looked for
    /// something for a while and found nothing lets others have their turn.
    static let turns = Turnstile(8)
    /// Those of searches, which take longer for a piece: nobody else waits behind them.
    static let searchTurns = Turnstile(8)

    private let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    /// Returns when the client has taken so much that it can be sent more.
    ///
    /// - Throws: where the connection has ended
    func room() async throws {
      let channel = channel
      try await channel.eventLoop.flatSubmit {
        do {
          return try Self.handler(channel).room(on: channel)
        } catch {
          return channel.eventLoop.makeFailedFuture(error)
        }
      }.get()
    }

    /// Returns when what was written has arrived at the connection.
    ///
    /// - Returns: whether the client can be sent more at once
    func arrival() async throws -> Bool {
      let channel = channel
      return try await channel.eventLoop.submit {
        try Self.handler(channel).hasRoom(on: channel)
      }.get()
    }

    private static func handler(_ channel: any Channel) throws -> ConnectionHandler {
      try channel.pipeline.syncOperations.handler(type: ConnectionHandler.self)
    }
  }
#endif
