#if Server
  import FeedStorage
  import NIOCore
  import NIOPosix
  import Synchronization

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// One listening address of a protocol.
  final class Listener: Sendable {
    /// The address, with its actual port.
    let address: ListenAddress
    /// Whether another process owns the socket's file.
    private let isInherited: Bool
    private let channel: any Channel
    private let isOver = Atomic(false)

    /// Listens at an address.
    ///
    /// - Parameters:
    ///   - bootstrap: sets up accepted connections
    ///   - permissions: the permissions of a Unix socket's file
    init(
      _ address: ListenAddress, _ bootstrap: ServerBootstrap, _ permissions: SocketPermissions
    ) async throws {
      channel = try await Self.fitting(bootstrap, address).bind(at: address)
      isInherited = false
      if case .unix(let path) = address, let number = UnixSocketFile.set(permissions, of: path) {
        UnixSocketFile.remove(path)
        channel.close(promise: nil)
        throw ListenError(address, permissions: number)
      }
      switch address {
      case .tcp(let host, let port):
        self.address = .tcp(host: host, port: channel.localAddress?.port ?? port)
      case .unix:
        self.address = address
      }
    }

    /// Takes over a listening socket.
    init(inherited socket: InheritedSocket, _ bootstrap: ServerBootstrap) async throws {
      address = socket.address ?? .unix(path: "")
      channel = try await Self.fitting(bootstrap, address).withBoundSocket(socket.descriptor).get()
      isInherited = true
    }

    private static func fitting(
      _ bootstrap: ServerBootstrap, _ address: ListenAddress
    ) -> ServerBootstrap {
      let bootstrap = bootstrap.serverChannelOption(.backlog, value: 1024)
      guard case .tcp = address else { return bootstrap }
      return
        bootstrap
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelOption(.socketOption(.so_keepalive), value: 1)
    }

    /// Accepts connections until the listener is closed.
    func listen() async throws {
      try await withTaskCancellationHandler {
        try await channel.closeFuture.get()
      } onCancel: {
        close()
      }
    }

    /// Stops accepting connections.
    ///
    /// The socket's file is removed first, and only once. While the last clients receive their
    /// responses, a successor may listen at the same path.
    func close() {
      guard !isOver.exchange(true, ordering: .relaxed) else { return }
      if case .unix(let path) = address, !isInherited { UnixSocketFile.remove(path) }
      channel.close(promise: nil)
    }
  }

  extension [Listener] {
    /// Listens at every address, or at none.
    static func listening(
      at addresses: [ListenAddress], inherited sockets: [InheritedSocket],
      permissions: SocketPermissions, _ bootstrap: ServerBootstrap
    ) async throws -> [Listener] {
      var listeners: [Listener] = []
      do {
        for address in addresses {
          listeners.append(try await Listener(address, bootstrap, permissions))
        }
        for socket in sockets {
          listeners.append(try await Listener(inherited: socket, bootstrap))
        }
      } catch {
        // This includes inherited sockets.
        listeners.close()
        throw error
      }
      return listeners
    }

    func close() { for listener in self { listener.close() } }
  }

  /// Why listening at an address failed, and what to do.
  struct ListenError: Error, CustomStringConvertible {
    let address: ListenAddress
    let reason: String

    init(_ address: ListenAddress, _ error: any Error) {
      self.address = address
      reason =
        switch error {
        case let error as IOError: Self.reason(error.errnoCode)
        case SocketAddressError.unixDomainSocketPathTooLong:
          "the path is too long for a socket; choose a shorter one"
        default: "\(error)"
        }
    }

    /// - Parameter number: why the group or the mode of a socket's file could not be set.
    init(_ address: ListenAddress, permissions number: CInt) {
      self.address = address
      let cause = number == EPERM ? "not permitted" : String(cString: strerror(number))
      reason =
        "the group or the mode of the socket cannot be set: \(cause); choose a group of which the"
        + " user of the server is a member"
    }

    var description: String { "\(address): cannot listen here: \(reason)" }

    private static func reason(_ number: CInt) -> String {
      switch number {
      case EADDRINUSE:
        "the address is in use; end the process that uses it, or choose another address"
      case EADDRNOTAVAIL: "this machine has no such address"
      case EACCES: "not permitted; choose a port from 1024 on, or a directory of your own"
      case ENOENT: "there is no such directory"
      default: String(cString: strerror(number))
      }
    }
  }

  extension ServerBootstrap {
    /// Starts to listen at an address.
    ///
    /// - Throws: `ListenError`, and `StoreError` if the path of a Unix socket is in use
    func bind(at address: ListenAddress) async throws -> any Channel {
      if case .unix(let path) = address { try UnixSocketFile.prepare(path) }
      do {
        return switch address {
        case .tcp(let host, let port): try await bind(host: host, port: port).get()
        case .unix(let path): try await bind(unixDomainSocketPath: path).get()
        }
      } catch {
        throw ListenError(address, error)
      }
    }
  }
#endif
