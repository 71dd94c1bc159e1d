#if Server
  import FeedStorage
  import NIOCore
  import NIOPosix

  /// One address at which HTTP is spoken.
  struct HTTPListener: Sendable {
    /// Where it is, with the port that it really has.
    let address: ListenAddress
    /// Whether the socket's file is somebody else's.
    private var isInherited = false
    private let channel: HTTPChannel
    private let listener: NIOAsyncChannel<HTTPChannel.Connection, Never>

    /// Listens at an address, on the event loops of a group.
    init(
      _ address: ListenAddress, _ channel: HTTPChannel, on group: MultiThreadedEventLoopGroup
    ) async throws {
      self.channel = channel
      switch address {
      case .tcp(let host, let port):
        let listener =
          try await Self.bootstrap(group)
          .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
          .bind(host: host, port: port) { channel.connection($0) }
        self.listener = listener
        self.address = .tcp(host: host, port: listener.channel.localAddress?.port ?? port)
      case .unix(let path):
        try UnixSocketFile.prepare(path)
        listener =
          try await Self.bootstrap(group)
          .bind(unixDomainSocketPath: path) { channel.connection($0) }
        self.address = address
      }
    }

    /// Goes on with a socket that listens already.
    init(
      inherited socket: InheritedSocket, _ channel: HTTPChannel,
      on group: MultiThreadedEventLoopGroup
    ) async throws {
      self.channel = channel
      var bootstrap = Self.bootstrap(group)
      if case .tcp? = socket.address {
        bootstrap = bootstrap.childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      }
      listener = try await bootstrap.bind(socket.descriptor) { channel.connection($0) }
      address = socket.address ?? .unix(path: "")
      isInherited = true
    }

    private static func bootstrap(_ group: MultiThreadedEventLoopGroup) -> ServerBootstrap {
      ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 1024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelOption(.maxMessagesPerRead, value: 1)
        .childChannelOption(
          .recvAllocator,
          value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1024, maximum: 16 << 10))
    }

    /// Serves connections until the listener is closed and the last of them has ended.
    func serve() async throws {
      try await listener.executeThenClose { connections in
        try await withThrowingDiscardingTaskGroup { group in
          for try await connection in connections {
            group.addTask { await channel.serve(connection) }
          }
        }
      }
    }

    /// Takes no more connections.
    func close() { listener.channel.close(promise: nil) }

    func removeSocketFile() {
      if case .unix(let path) = address, !isInherited { UnixSocketFile.remove(path) }
    }
  }
#endif
