#if Server
  import NIOCore
  import Threading

  /// Backpressure for a response that is sent in chunks.
  ///
  /// Without it, chunks would accumulate: Hummingbird's writer detects a slow client only when the
  /// event loop has processed the earlier writes.
  struct Backpressure: Sendable {
    /// The number of chunks that are produced at once; further ones wait until these have arrived
    /// at their connections. Otherwise each of many concurrent clients would have a chunk in
    /// memory. A search that finds nothing for a while yields its turn.
    static let turns = AsyncSemaphore(8)
    /// Turns of searches, which take longer for a chunk. Other responses do not wait for them.
    static let searchTurns = AsyncSemaphore(8)

    private let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    /// Returns when more can be sent to the client.
    ///
    /// - Throws: if the connection has ended
    func waitUntilWritable() async throws {
      let channel = channel
      try await channel.eventLoop.flatSubmit {
        do {
          return try Self.handler(channel).writable(on: channel)
        } catch {
          return channel.eventLoop.makeFailedFuture(error)
        }
      }.get()
    }

    /// Returns when the written data has arrived at the connection.
    ///
    /// - Returns: whether more can be sent to the client at once
    func waitUntilWritten() async throws -> Bool {
      let channel = channel
      return try await channel.eventLoop.submit {
        try Self.handler(channel).canWrite(on: channel)
      }.get()
    }

    private static func handler(_ channel: any Channel) throws -> ConnectionHandler {
      try channel.pipeline.syncOperations.handler(type: ConnectionHandler.self)
    }
  }
#endif
