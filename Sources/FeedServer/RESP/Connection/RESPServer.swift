#if Server
  import NIOCore
  import NIOPosix
  import ServiceLifecycle

  /// Serves a store over RESP2 and RESP3 at all configured addresses, read-only.
  struct RESPServer: Service {
    private let context: ServerContext
    private let limits: RESPWorker.Limits

    init(_ context: ServerContext, limits: RESPWorker.Limits = RESPWorker.Limits()) {
      self.context = context
      self.limits = limits
    }

    /// One thread answers as much as a program on another core can request. With two cores, a
    /// second thread gave neither more responses nor faster ones.
    func run() async throws {
      try await MultiThreadedEventLoopGroup.withEventLoopGroup(numberOfThreads: 1) { group in
        try await run(on: group.next())
      }
    }

    private func run(on eventLoop: any EventLoop) async throws {
      let worker = try await eventLoop.submit { [context, limits] in
        NIOLoopBound(RESPWorker(context, eventLoop, limits: limits), eventLoop: eventLoop)
      }.get()
      let listeners = try await [Listener].listening(
        at: context.configuration.resp, inherited: context.configuration.respSockets,
        permissions: context.configuration.socketPermissions, bootstrap(worker))
      defer { listeners.close() }
      for listener in listeners { context.isListening(.resp, at: listener.address) }
      // If the task is cancelled, there is no time for further responses.
      guard (try? await gracefulShutdown()) != nil else { return }
      listeners.close()
      await drain(worker)
    }

    private func bootstrap(_ worker: NIOLoopBound<RESPWorker>) -> ServerBootstrap {
      // All connections belong to the worker's event loop.
      ServerBootstrap(group: worker.eventLoop)
        // A client that has closed its side still receives all responses.
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(RESPConnection(worker.value))
          }
        }
    }

    /// Lets clients receive their responses, up to the deadline.
    private func drain(_ worker: NIOLoopBound<RESPWorker>) async {
      let eventLoop = worker.eventLoop
      let drained = eventLoop.makePromise(of: Void.self)
      eventLoop.execute { worker.value.drain(drained) }
      let deadline = TimeAmount(context.configuration.drainDeadline)
      let timer = eventLoop.scheduleTask(in: deadline) { worker.value.cutAll() }
      try? await drained.futureResult.get()
      timer.cancel()
    }
  }
#endif
