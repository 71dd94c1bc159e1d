#if Cluster
  import NIOCore
  import NIOPosix
  import NIOSSL

  /// Makes connections: TCP, TLS, and the commands that begin each of them.
  struct RESPConnector: Sendable {
    let configuration: RESPConfiguration
    let group: any EventLoopGroup
    private let security: NIOSSLContext?

    init(
      _ configuration: RESPConfiguration, group: any EventLoopGroup
    ) throws(RESPClientError) {
      self.configuration = configuration
      self.group = group
      do {
        security = try configuration.tls.map { try NIOSSLContext(configuration: Self.client($0)) }
      } catch {
        throw RESPClientError(.unreachable("TLS: \(error)"))
      }
    }

    /// Starts a connection; commands may be submitted at once.
    ///
    /// - Parameter trackedPrefix: for a connection that only receives invalidations
    func connect(
      to node: RESPNode, trackedPrefix: String? = nil, events: RESPConnection.Events
    ) -> RESPConnection {
      let eventLoop = group.next()
      let connection = RESPConnection(
        to: node, on: eventLoop, configuration, setup: setup(trackedPrefix), events: events)
      let name = configuration.tls?.serverName ?? node.host
      ClientBootstrap(group: eventLoop)
        // The connection limits the time to connect, and the pool counts its timeouts.
        .connectTimeout(TimeAmount(configuration.deadline * 2))
        .channelOption(.socketOption(.so_keepalive), value: 1)
        // A value of 64 KiB takes few reads.
        .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 256 << 10))
        .channelInitializer { [security] channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if let security {
              // SNI does not allow an address. The certificate must then contain the address
              // itself.
              let isAddress = (try? SocketAddress(ipAddress: name, port: 0)) != nil
              try pipeline.addHandler(
                NIOSSLClientHandler(context: security, serverHostname: isAddress ? nil : name))
            }
            try pipeline.addHandler(connection)
          }
        }
        .connect(host: node.host, port: node.port)
        .whenFailure { connection.end(.unreachable(because: $0)) }
      eventLoop.execute { connection.begin() }
      return connection
    }

    private func setup(_ trackedPrefix: String?) -> [RESPCommand] {
      var hello: [RESPArgument] = ["3"]
      if let credentials = configuration.credentials {
        hello += ["AUTH", .text(credentials.user ?? "default"), .text(credentials.password)]
      }
      var commands = [RESPCommand("HELLO", hello)]
      if let trackedPrefix {
        commands.append(
          RESPCommand(
            "CLIENT", ["TRACKING", "ON", "BCAST", "PREFIX", .text(trackedPrefix), "NOLOOP"]))
      }
      if configuration.isCluster, configuration.reading == .replica {
        commands.append(RESPCommand("READONLY", []))
      }
      return commands
    }

    private static func client(
      _ tls: RESPConfiguration.TLS
    ) throws -> TLSConfiguration {
      var configuration = TLSConfiguration.makeClientConfiguration()
      if let authority = tls.authority { configuration.trustRoots = .file(authority) }
      if let certificate = tls.certificate {
        configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(certificate)
          .map { .certificate($0) }
      }
      if let key = tls.privateKey {
        configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
      }
      return configuration
    }
  }
#endif
