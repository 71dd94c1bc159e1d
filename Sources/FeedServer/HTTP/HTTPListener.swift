#if Server
  import FeedStorage
  import NIOCore
  import NIOPosix
  import Synchronization

  /// One address at which HTTP is spoken.
  final class HTTPListener: Sendable {
    /// Where it is, with the port that it really has.
    let address: ListenAddress
    /// Whether the socket's file is somebody else's.
    private let isInherited: Bool
    private let listener: any Channel
    private let isOver = Atomic(false)

    /// Listens at an address, on the event loops of a group.
    init(
      _ address: ListenAddress, _ channel: HTTPChannel, on group: MultiThreadedEventLoopGroup
    ) async throws {
      let bootstrap = Self.bootstrap(channel, group)
      isInherited = false
      switch address {
      case .tcp(let host, let port):
        listener =
          try await bootstrap
          .childChannelOption(.tcpOption(.tcp_nodelay), value: 1).bind(at: address)
        self.address = .tcp(host: host, port: listener.localAddress?.port ?? port)
      case .unix:
        listener = try await bootstrap.bind(at: address)
        self.address = address
      }
    }

    /// Goes on with a socket that listens already.
    init(
      inherited socket: InheritedSocket, _ channel: HTTPChannel,
      on group: MultiThreadedEventLoopGroup
    ) async throws {
      var bootstrap = Self.bootstrap(channel, group)
      if case .tcp? = socket.address {
        bootstrap = bootstrap.childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      }
      listener = try await bootstrap.withBoundSocket(socket.descriptor).get()
      address = socket.address ?? .unix(path: "")
      isInherited = true
    }

    private static func bootstrap(
      _ channel: HTTPChannel, _ group: MultiThreadedEventLoopGroup
    ) -> ServerBootstrap {
      ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 1024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelOption(.maxMessagesPerRead, value: 1)
        .childChannelOption(
          .recvAllocator,
          value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1024, maximum: 16 << 10)
        )
        .childChannelInitializer { channel.accept($0) }
    }

    /// Takes connections until the listener is closed.
    func listen() async throws {
      try await withTaskCancellationHandler {
        try await listener.closeFuture.get()
      } onCancel: {
        close()
      }
    }

    /// Takes no more connections.
    ///
    /// The socket's file goes first, and once: while the last clients have their answers a successor
    /// may listen at the same path.
    func close() {
      guard !isOver.exchange(true, ordering: .relaxed) else { return }
      if case .unix(let path) = address, !isInherited { UnixSocketFile.remove(path) }
      listener.close(promise: nil)
    }
  }
#endif
