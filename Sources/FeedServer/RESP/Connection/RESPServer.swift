#if Server
  import NIOCore
  import NIOPosix
  import ServiceLifecycle

  /// Serves a store over RESP2 and RESP3 at one address, read-only.
  struct RESPServer: Service {
    /// One thread answers as much as a program on another core can ask for: a second one, measured
    /// with two cores, gave no more answers and no earlier ones.
    private static let threads = 1

    private let context: ServerContext
    private let address: ListenAddress
    /// A socket that listens at the address already, and whose file is somebody else's.
    private let inherited: CInt?
    private let limits: RESPWorker.Limits

    init(
      context: ServerContext, address: ListenAddress,
      limits: RESPWorker.Limits = RESPWorker.Limits()
    ) {
      self.context = context
      self.address = address
      self.limits = limits
      inherited = nil
    }

    /// Goes on with a socket that listens already.
    init(context: ServerContext, inherited socket: InheritedSocket) {
      self.context = context
      address = socket.address ?? .unix(path: "")
      limits = RESPWorker.Limits()
      inherited = socket.descriptor
    }

    func run() async throws {
      try await MultiThreadedEventLoopGroup.withEventLoopGroup(numberOfThreads: Self.threads) {
        group in
        try await run(on: group)
      }
    }

    private func run(on group: MultiThreadedEventLoopGroup) async throws {
      var workers: [ObjectIdentifier: NIOLoopBound<RESPWorker>] = [:]
      for eventLoop in group.makeIterator() {
        workers[ObjectIdentifier(eventLoop)] = try await eventLoop.submit { [context, limits] in
          NIOLoopBound(RESPWorker(context, eventLoop, limits: limits), eventLoop: eventLoop)
        }.get()
      }
      let channel = try await bind(bootstrap(group, workers))
      context.isListening(.resp, at: Self.bound(address, channel))
      do {
        try await gracefulShutdown()
      } catch {
        // Cancelled, without time for anybody.
        await close(channel)
        return
      }
      await close(channel)
      await drain(Array(workers.values))
    }

    private func bootstrap(
      _ group: MultiThreadedEventLoopGroup, _ workers: [ObjectIdentifier: NIOLoopBound<RESPWorker>]
    ) -> ServerBootstrap {
      let isTCP = if case .tcp = address { true } else { false }
      var bootstrap = ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 1_024)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            guard let worker = workers[ObjectIdentifier(channel.eventLoop)]?.value else {
              throw ChannelError.inappropriateOperationForState
            }
            try channel.pipeline.syncOperations.addHandler(RESPConnection(worker))
          }
        }
      if isTCP {
        bootstrap =
          bootstrap
          .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
          .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
          .childChannelOption(.socketOption(.so_keepalive), value: 1)
      }
      return bootstrap
    }

    private func bind(_ bootstrap: ServerBootstrap) async throws -> any Channel {
      if let inherited { return try await bootstrap.withBoundSocket(inherited).get() }
      return try await bootstrap.bind(at: address)
    }

    /// Takes no more connections. The socket's file goes first: as soon as nobody listens a
    /// successor may at the same path.
    private func close(_ channel: any Channel) async {
      if case .unix(let path) = address, inherited == nil { UnixSocketFile.remove(path) }
      try? await channel.close()
    }

    /// The address with the port that the system chose.
    private static func bound(_ address: ListenAddress, _ channel: any Channel) -> ListenAddress {
      guard case .tcp(let host, _) = address, let port = channel.localAddress?.port else {
        return address
      }
      return .tcp(host: host, port: port)
    }

    /// Lets the clients have their answers, for as long as that may take.
    private func drain(_ workers: [NIOLoopBound<RESPWorker>]) async {
      await withTaskGroup { tasks in
        for worker in workers {
          let deadline = TimeAmount(context.configuration.drainDeadline)
          tasks.addTask {
            let eventLoop = worker.eventLoop
            let drained = eventLoop.makePromise(of: Void.self)
            eventLoop.execute { worker.value.drain(drained) }
            let timer = eventLoop.scheduleTask(in: deadline) { worker.value.cutAll() }
            try? await drained.futureResult.get()
            timer.cancel()
          }
        }
      }
    }
  }
#endif
