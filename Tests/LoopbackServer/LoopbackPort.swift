#if Remote || Cluster
  import NIOCore
  import NIOPosix

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// A port of the loopback interface, reserved while this object lives. Connections are refused
  /// while no socket listens at it.
  final class LoopbackPort: Sendable {
    let number: Int
    private let descriptor: NIOBSDSocket.Handle

    init() throws {
      let descriptor = try Self.boundSocket(0)
      self.descriptor = descriptor
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let code = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          getsockname(descriptor, address, &length)
        }
      }
      guard code == 0 else {
        close(descriptor)
        throw IOError(errnoCode: errno, reason: "getsockname")
      }
      number = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }

    /// A socket that is bound to the port and can listen.
    func socket() throws -> NIOBSDSocket.Handle { try Self.boundSocket(number) }

    /// A socket that shares its port with the object's other sockets. Child processes do not
    /// inherit it, because they would keep the port reserved.
    ///
    /// - Parameter port: 0 for any free port
    private static func boundSocket(_ port: Int) throws -> NIOBSDSocket.Handle {
      #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(AF_INET, kind, 0)
      #else
        let descriptor = Darwin.socket(AF_INET, SOCK_STREAM, 0)
      #endif
      guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
      #if !canImport(Glibc)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      #endif
      var isOn: Int32 = 1
      let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
      let code = address.withSockAddr { address, count in
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &isOn, socklen_t(MemoryLayout<Int32>.size))
          == 0 ? bind(descriptor, address, socklen_t(count)) : -1
      }
      guard code == 0 else {
        let error = IOError(errnoCode: errno, reason: "bind")
        close(descriptor)
        throw error
      }
      return descriptor
    }
  }
#endif
