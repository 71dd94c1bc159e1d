#if Cluster
  import NIOCore
  import NIOPosix

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  extension RESPClientError.Cause {
    /// Translates an error of NIO.
    static func unreachable(because error: any Error) -> Self { .unreachable(reason(error)) }

    private static func reason(_ error: any Error) -> String {
      switch error {
      case let error as NIOConnectionError:
        // A name may have several addresses, which usually fail in the same way.
        var reasons: [String] = []
        let lookups = [error.dnsAError, error.dnsAAAAError].compactMap { $0 }
        for reason in (error.connectionErrors.map(\.error) + lookups).map(reason)
        where !reasons.contains(reason) {
          reasons.append(reason)
        }
        return reasons.joined(separator: "; ")
      case let error as IOError: return String(cString: strerror(error.errnoCode))
      case SocketAddressError.unknown: return "unknown host"
      default: return "\(error)"
      }
    }
  }
#endif
