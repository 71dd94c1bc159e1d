#if Server
  import NIOCore
  import NIOPosix

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

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
          "the path is too long for a socket; name a shorter one"
        default: "\(error)"
        }
    }

    var description: String { "\(address): cannot listen here: \(reason)" }

    private static func reason(_ number: CInt) -> String {
      switch number {
      case EADDRINUSE: "somebody does already; end that process, or name another address"
      case EADDRNOTAVAIL: "this machine has no such address"
      case EACCES: "not permitted; take a port from 1024 on, or a directory of your own"
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
