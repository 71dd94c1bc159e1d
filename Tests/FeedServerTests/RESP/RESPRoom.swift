#if Server
  @testable import FeedServer
  import FeedCore
  import Foundation
  import Logging
  import NIOCore
  import NIOPosix
  import ServiceLifecycle
  import TestSupport

  /// A private store, served over RESP.
  struct RESPRoom {
    let database: FeedDatabase
    let context: ServerContext
    var address: ListenAddress
    /// The additional addresses.
    private(set) var others: [ListenAddress] = []
    private let services: ServiceGroup

    /// Serves a store while a body runs, and then stops gracefully.
    ///
    /// - Parameters:
    ///   - paths: where to listen instead of a port of the loopback interface
    ///   - store: the store; nil for a private one
    static func serve<R>(
      _ configuration: ServerConfiguration = ServerConfiguration(),
      _ limits: RESPWorker.Limits = RESPWorker.Limits(), at paths: [String] = [],
      store: FeedDatabase? = nil, _ body: (RESPRoom) async throws -> R
    ) async throws -> R {
      let database = try store ?? FeedDatabase.openPrivate()
      var configuration = configuration
      configuration.resp = paths.map { ListenAddress.unix(path: $0) }
      if paths.isEmpty { configuration.resp = [.tcp(host: "127.0.0.1", port: 0)] }
      configuration.drainDeadline = .seconds(20)
      configuration.logger.logLevel = .critical
      let (addresses, announce) = AsyncStream.makeStream(of: ListenAddress.self)
      let context = try ServerContext(ServedStore(database), configuration) { _, address in
        announce.yield(address)
      }
      let services = ServiceGroup(
        services: [RESPServer(context, limits: limits)],
        logger: configuration.logger)
      return try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
          defer { announce.finish() }
          try await services.run()
        }
        var iterator = addresses.makeAsyncIterator()
        guard let bound = await iterator.next() else {
          try await tasks.waitForAll()
          throw RESPReply.Malformed(text: "nobody listens")
        }
        var room = RESPRoom(
          database: database, context: context, address: bound, services: services)
        while room.others.count < paths.count - 1, let other = await iterator.next() {
          room.others.append(other)
        }
        do {
          let result = try await body(room)
          await services.triggerGracefulShutdown()
          try await tasks.waitForAll()
          return result
        } catch {
          await services.triggerGracefulShutdown()
          throw error
        }
      }
    }

    /// Asks the server to stop.
    func stop() async { await services.triggerGracefulShutdown() }

    /// Connects to the server.
    func connect<R>(_ body: (inout RESPPeer) async throws -> R) async throws -> R {
      let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .channelOption(.allowRemoteHalfClosure, value: true)
      let channel =
        switch address {
        case .tcp(let host, let port):
          try await bootstrap.connect(host: host, port: port, channelInitializer: RESPPeer.wrap)
        case .unix(let path):
          try await bootstrap.connect(
            unixDomainSocketPath: path, channelInitializer: RESPPeer.wrap)
        }
      return try await channel.executeThenClose { input, output in
        var peer = RESPPeer(input.makeAsyncIterator(), output)
        return try await body(&peer)
      }
    }

    var lookups: (hits: Int, misses: Int) { context.metrics.lookupCounts }

    func refusals(_ refusal: Refusal) -> Int { context.metrics.refusals(refusal, of: .resp) }

    // MARK: Content of the store

    static var now: Double { Date().timeIntervalSinceReferenceDate }

    /// The images of the store.
    func images() throws -> ImageStore {
      var options = ImageStore.Options()
      options.mapSize = 1 << 32
      return try ImageStore.open(at: database.directory, options: options)
    }

    func insert(
      _ universities: [University], named name: String = "universities", at time: Double = now
    ) throws {
      try database.insert(universities, into: try FeedName(name), referenceSeconds: time)
    }

    static func universities(_ count: Int, country: String = "Nowhere") -> [University] {
      (0..<count).map { number in
        University(
          name: "University \(number)", country: country, alphaTwoCode: "NO",
          webPages: ["https://\(number).example"])
      }
    }

    static func json(_ number: Int, country: String = "Nowhere") -> String {
      #"{"name":"University \#(number)","web_pages":["https://\#(number).example"],"country":"#
        + #""\#(country)","alpha_two_code":"NO"}"#
    }
  }

  extension ServerConfiguration {
    /// The default configuration with a change.
    static func with(_ change: (inout ServerConfiguration) -> Void) -> ServerConfiguration {
      var configuration = ServerConfiguration()
      change(&configuration)
      return configuration
    }
  }

  /// A client that a test controls.
  struct RESPPeer {
    private var input: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let output: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var received: ArraySlice<UInt8> = []

    init(
      _ input: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
      _ output: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
      self.input = input
      self.output = output
    }

    @Sendable static func wrap(
      _ channel: any Channel
    ) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> {
      channel.eventLoop.makeCompletedFuture {
        try NIOAsyncChannel(
          wrappingChannelSynchronously: channel,
          configuration: .init(isOutboundHalfClosureEnabled: true))
      }
    }

    /// Sends bytes as they are.
    func send(raw text: String) async throws {
      try await output.write(ByteBuffer(string: text))
    }

    /// Closes the client's side.
    func finish() { output.finish() }

    /// Sends a command.
    func send(_ words: String...) async throws { try await send(raw: Self.command(words)) }

    static func command(_ words: [String]) -> String {
      words.reduce("*\(words.count)\r\n") { $0 + "$\($1.utf8.count)\r\n\($1)\r\n" }
    }

    /// The next response; nil if the server has closed.
    mutating func reply() async throws -> RESPReply? {
      while true {
        if let reply = try RESPReply(&received) { return reply }
        // A partial response is not a response.
        guard let more = try? await input.next(isolation: #isolation) else { return nil }
        received += more.readableBytesView
      }
    }

    /// Sends a command and returns its response.
    mutating func ask(_ words: String...) async throws -> RESPReply? {
      try await send(raw: Self.command(words))
      return try await reply()
    }

    /// Scans all keys.
    mutating func scan(_ options: String...) async throws -> [String] {
      var keys: [String] = []
      var cursor = "0"
      repeat {
        try await send(raw: Self.command(["SCAN", cursor] + options))
        guard let parts = try await reply()?.elements, parts.count == 2 else {
          throw RESPReply.Malformed(text: "no cursor")
        }
        cursor = parts[0].text ?? ""
        keys += parts[1].elements.compactMap(\.text)
      } while cursor != "0"
      return keys
    }
  }
#endif
