#if Remote
  import AsyncHTTPClient
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOSSL

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  extension TransportError {
    /// Translates an error of async-http-client or NIO.
    init(describing error: any Error) {
      switch error {
      case let error as HTTPClientError:
        self.init(Self.kind(of: error), error.shortDescription.lowercasingFirst)
      case let error as NIOConnectionError:
        self.init(.connection, Self.reason(error))
      case let error as NIOSSLError:
        self.init(.connection, Self.reason(error))
      case let error as NIOSSLExtraError where error == .failedToValidateHostname:
        self.init(.connection, "the certificate of the service is that of another one: \(error)")
      case let error as NIOSSLExtraError:
        self.init(.connection, "no agreement on TLS: \(error)")
      case is ChannelError:
        self.init(.connection, "\(error)")
      case HTTPParserError.invalidEOFState:
        self.init(.closed, "the connection ended within the response")
      case is HTTPParserError:
        self.init(.malformed, "what came is not HTTP: \(error)")
      case let error as IOError where [ECONNRESET, EPIPE, ENOTCONN].contains(error.errnoCode):
        self.init(.closed, "the connection broke: \(Self.reason(error))")
      case let error as IOError:
        self.init(.connection, "no connection: \(Self.reason(error))")
      default:
        self.init(.other, "\(error)")
      }
    }

    private static func kind(of error: HTTPClientError) -> Kind {
      switch error {
      case .connectTimeout, .tlsHandshakeTimeout, .httpProxyHandshakeTimeout,
        .socksHandshakeTimeout, .getConnectionFromPoolTimeout, .readTimeout, .writeTimeout,
        .deadlineExceeded:
        .timeout
      case .remoteConnectionClosed, .uncleanShutdown: .closed
      case .redirectLimitReached, .redirectCycleDetected: .redirect
      case .alreadyShutdown, .cancelled: .shutDown
      case .invalidURL, .emptyHost, .emptyScheme: .request
      default: .other
      }
    }

    private static func reason(_ error: NIOSSLError) -> String {
      let text = "\(error)"
      return text.contains("CERTIFICATE_VERIFY_FAILED")
        ? "the certificate of the service is not trusted: it is of no authority known here, or out"
          + " of date"
        : "no agreement on TLS: \(text)"
    }

    private static func reason(_ error: IOError) -> String {
      String(cString: strerror(error.errnoCode)).lowercasingFirst
    }

    private static func reason(_ error: NIOConnectionError) -> String {
      var causes = error.connectionErrors.map { failure in
        "\(failure.target): \((failure.error as? IOError).map(reason) ?? "\(failure.error)")"
      }
      // A name is looked up once for each address family, and usually fails for both in the same
      // way.
      for failure in [error.dnsAError, error.dnsAAAAError].compactMap({ $0 }).map(reason(ofLookup:))
      where !causes.contains(failure) {
        causes.append(failure)
      }
      return "no connection to \(error.host):\(error.port): " + causes.joined(separator: "; ")
    }

    private static func reason(ofLookup error: any Error) -> String {
      (error as? SocketAddressError.UnknownHost)?.errorDescription.lowercasingFirst ?? "\(error)"
    }
  }

  extension String {
    fileprivate var lowercasingFirst: String { prefix(1).lowercased() + dropFirst() }
  }
#endif
