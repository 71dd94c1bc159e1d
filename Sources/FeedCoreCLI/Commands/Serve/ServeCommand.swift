#if Server
  import ArgumentParser
  import CoreMetrics
  import FeedCore
  #if Cluster
    import FeedCluster
  #endif
  import FeedServer
  import FeedTools
  import Logging
  import Threading

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif
  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// `feedcore serve`
  struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "serve",
      abstract: "Serve the store over HTTP and RESP.",
      discussion: """
        Prints a line for each address once the server listens there. For port 0 the line has the \
        port that the system chose. A feed that another process ingests is served at once.

        By default HTTP is on 127.0.0.1:8080 and RESP on 127.0.0.1:6380. Addresses that other \
        machines can reach need --auth-file or --insecure.

        A line of the authentication file is NAME:PASSWORD or a token. The former is for HTTP's \
        Basic scheme and RESP's AUTH with a name, the latter for HTTP's Bearer scheme and AUTH \
        without a name. In place of a password or token there may be its SHA-256, as sha256: and \
        64 hexadecimal digits. Other users must not be able to read the file. SIGHUP makes the \
        server read it again. /healthz and /readyz need no credentials.

        The server takes sockets from systemd (LISTEN_FDS): those with the name resp \
        (FileDescriptorName=) for RESP, all others for HTTP. It notifies systemd when it is ready \
        and when it stops (Type=notify).

        SIGTERM and SIGINT stop the server: it is no longer ready, accepts no more connections, and \
        completes the responses in progress.

        EXAMPLES:
          feedcore serve
          # From another terminal:
          curl -s http://127.0.0.1:8080/feeds/universities | jq '.records[0].name'
          # With a service for a feed:
          feedcore serve --origin news=https://example.com/news.json
          # A token that is stored as its SHA-256:
          printf %s "$TOKEN" | sha256sum | sed 's/^/sha256:/; s/ .*//' >> users.txt
          feedcore serve --http 0.0.0.0:8080 --auth-file users.txt
          feedcore serve --resp-socket feedcore.sock
        """)

    @OptionGroup var store: ChangedStoreOptions

    @Option(
      help: ArgumentHelp("An address for HTTP. May be given several times.", valueName: "host:port")
    )
    var http: [HostAndPort] = []

    @Option(
      help: ArgumentHelp("The path of a Unix socket for HTTP.", valueName: "path"),
      completion: .file())
    var httpSocket: [String] = []

    @Option(
      help: ArgumentHelp("An address for RESP. May be given several times.", valueName: "host:port")
    )
    var resp: [HostAndPort] = []

    @Option(
      help: ArgumentHelp("The path of a Unix socket for RESP.", valueName: "path"),
      completion: .file())
    var respSocket: [String] = []

    @Option(
      help: ArgumentHelp(
        "The permissions of the Unix sockets' files, such as 660. By default the umask decides.",
        valueName: "mode"))
    var socketMode: SocketMode?

    @Option(
      help: ArgumentHelp("The group of the Unix sockets' files.", valueName: "name|number"))
    var socketGroup: String?

    @Option(
      help: ArgumentHelp(
        "The service of a feed, which is requested if the cached feed is older than a minute.",
        valueName: "name=url"))
    var origin: [OriginOption] = []

    @Flag(
      help: ArgumentHelp(
        "Also fetch images on this machine and on private networks. Without it, those that a feed"
          + " names are fetched only from the host and port of its own service."))
    var allowPrivateImages = false

    @Option(
      help: ArgumentHelp(
        "The cache policy of a feed: \(PolicyName.allValueStrings.joined(separator: ", ")).",
        valueName: "name=policy"))
    var policy: [FeedPolicyOption] = []

    @Option(
      help: ArgumentHelp(
        "Scheme, host and port of the proxy in front of this server, with which absolute links"
          + " begin. By default http and the host of the request.",
        valueName: "url"))
    var publicUrl: PublicURL?

    @Option(
      help: ArgumentHelp(
        "The maximum length of a feed from a service, also after its decompression.",
        valueName: "size"))
    var maxBodyBytes = ByteCount(4 << 30)

    @Option(
      help: ArgumentHelp(
        "A further name of this server. May be given several times.",
        discussion: "Without --auth-file, requests over the loopback interface must name a host of"
          + " it, such as localhost, the one of --public-url, or one of these. A web page could"
          + " otherwise read the server under a name of its own.",
        valueName: "host"))
    var allowHost: [HostName] = []

    @Option(
      help: ArgumentHelp(
        "The origin whose web pages may read the responses, or * for all.",
        discussion: "By default no page of another origin can. With --auth-file a page needs"
          + " credentials, too.",
        valueName: "origin|*"))
    var cors: WebOrigin?

    @Option(
      help: ArgumentHelp("The maximum number of connections of each protocol.", valueName: "n"))
    var maxConnections = 4096

    @Option(
      help: ArgumentHelp(
        "The memory for cached responses, such as 256MB.",
        valueName: "size"))
    var cache = ByteCount(64 << 20)

    @Option(
      help: ArgumentHelp(
        "The seconds until a request is complete, until a response begins, and until the client"
          + " reads more of it.", valueName: "s"))
    var requestTimeout = 30.0

    @Option(
      help: ArgumentHelp(
        "The seconds for a query over HTTP that reads many records, with its wait for others.",
        valueName: "s"))
    var queryTimeout = 5.0

    @Option(
      help: ArgumentHelp(
        "The seconds for the responses in progress after the server is asked to stop.",
        valueName: "s"))
    var drainTimeout = 10.0

    @Option(
      help: ArgumentHelp("The file with the credentials of clients.", valueName: "file"),
      completion: .file())
    var authFile: String?

    @Flag(help: "Accept other machines without credentials.")
    var insecure = false

    @Option(help: ArgumentHelp("The level of the log on standard error.", valueName: "level"))
    var logLevel: LogLevel?

    func validate() throws {
      try GivenPath.refuseEmpty([authFile], "--auth-file")
      for (option, names) in [
        ("--origin", origin.map(\.name)), ("--policy", policy.map(\.name)),
      ] {
        var seen: Set<FeedName> = []
        for name in names where !seen.insert(name).inserted {
          throw ValidationError("\(option) is given twice for \(name)")
        }
      }
      // An empty path would bind an address without a file, which no file permissions protect.
      guard !(httpSocket + respSocket).contains("") else {
        throw ValidationError("a Unix socket needs a path")
      }
      guard UInt64(cache.bytes) <= ProcessInfo.processInfo.physicalMemory else {
        throw ValidationError("--cache exceeds the memory of this machine")
      }
      guard maxBodyBytes.bytes > 0 else {
        throw ValidationError("--max-body-bytes takes a number above 0")
      }
      guard maxConnections > 0 else {
        throw ValidationError("--max-connections takes a number above 0")
      }
      guard (0.05...86_400).contains(requestTimeout), (0...86_400).contains(drainTimeout) else {
        throw ValidationError(
          "--request-timeout takes 0.05 to 86400 seconds, --drain-timeout 0 to 86400")
      }
      guard (0.001...86_400).contains(queryTimeout) else {
        throw ValidationError("--query-timeout takes 0.001 to 86400 seconds")
      }
    }

    func run() throws {
      // Responses of up to a megabyte for many clients, freed in any order, fragment the heap. With
      // 1800 slow clients, the process used 370 to 840 MB, and 115 MB with this setting.
      MemoryWatch.returnLargeBlocks(from: 128 << 10)
      let level = logLevel?.level ?? .warning
      LoggingSystem.bootstrap { label in
        var handler = StreamLogHandler.standardError(label: label)
        handler.logLevel = level
        return handler
      }
      // Until the server handles it, the signal must not end the process.
      signal(SIGHUP, SIG_IGN)
      var server = try server()
      // After a stop, a load no longer waits for a suspended writer in another process.
      server.onStop = { ProcessInterruption.request() }
      let authFile = authFile
      let result = AwaitedWork.result(cancelsIfInterrupted: false) { [server] in
        try await server.runUntilAskedToStop {
          if let authFile { Self.reload(authFile, server) }
        }
      }
      do { try result.get() } catch { throw Failure(any: error) }
    }

    /// Reads the credentials again. If that fails, the former ones stay.
    private static func reload(_ authFile: String, _ server: FeedServer) {
      do {
        try server.replaceCredentials(CredentialsFile.read(authFile))
        logger.notice("the credentials of \(authFile) were read again")
      } catch {
        logger.error("the former credentials stay: \(Failure(any: error).message)")
      }
    }

    private static var logger: Logger { Logger(label: "feedcore") }

    private func server() throws -> FeedServer {
      let configuration = try configuration()
      var store = store
      // A response reports that the store is busy before the response itself is late.
      let timeout = min(store.waitTimeout.duration, configuration.requestTimeout / 2)
      store.waitTimeout = WriterTimeout(duration: timeout)
      let database = try open(store)
      return try FeedServer(database, configuration) { transport, address in
        let output = Output.standard()
        output.write("\(transport.rawValue.uppercased()) on \(address.url(of: transport))\n")
        try? output.finish()
      }
    }

    /// Opens the store. The store of a cluster is followed until the process ends.
    private func open(_ store: ChangedStoreOptions) throws(Failure) -> FeedDatabase {
      #if Cluster
        if store.location.isShared {
          let shared = try store.location.shared()
          let database = try store.openNear(of: shared)
          let logger = Self.logger
          let follower = ClusterFollower(shared, database) { event in
            switch event.outcome {
            case .failure: logger.error("\(event.line)")
            case .success(.lost): logger.warning("\(event.line)")
            case .success: break
            }
          }
          Task { await follower.run() }
          return database
        }
      #endif
      return try store.open()
    }

    private func configuration() throws(Failure) -> ServerConfiguration {
      var configuration = ServerConfiguration()
      for origin in origin {
        configuration.origins[try FeedName(ofNewFeed: origin.name.text)] = origin.url
      }
      configuration.allowsPrivateImages = allowPrivateImages
      configuration.maximumBodyBytes = maxBodyBytes.bytes
      configuration.http =
        http.map(\.address) + httpSocket.map { ListenAddress.unix(path: $0) }
      configuration.resp =
        resp.map(\.address) + respSocket.map { ListenAddress.unix(path: $0) }
      let sockets = ServiceManager.sockets()
      let inherited = try addresses(of: sockets)
      configuration.respSockets = sockets.filter { $0.name == "resp" }
      configuration.httpSockets = sockets.filter { $0.name != "resp" }
      if configuration.http.isEmpty, configuration.resp.isEmpty, sockets.isEmpty {
        configuration.http = [.tcp(host: "127.0.0.1", port: 8080)]
        configuration.resp = [.tcp(host: "127.0.0.1", port: 6380)]
      }
      configuration.maximumConnections = maxConnections
      configuration.cacheBytes = cache.bytes
      configuration.requestTimeout = .seconds(requestTimeout)
      configuration.queryTimeout = .seconds(queryTimeout)
      configuration.drainDeadline = .seconds(drainTimeout)
      for policy in policy { configuration.policies[policy.name] = policy.policy }
      configuration.publicURL = publicUrl?.text
      configuration.allowedHosts = allowHost.map(\.text)
      configuration.allowedOrigin = cors?.text
      configuration.socketPermissions = SocketPermissions(
        mode: socketMode?.bits,
        group: try socketGroup.map { name throws(Failure) in try SocketGroup.number(name) })
      configuration.credentials = try authFile.map { path throws(Failure) in
        try CredentialsFile.read(path)
      }
      configuration.logger = Self.logger
      // What the store and the loaders report is shown next to the server's own metrics.
      let metrics = MetricsRegistry()
      MetricsSystem.bootstrap(metrics)
      configuration.metrics = metrics
      let addresses = configuration.http + configuration.resp + inherited
      if configuration.credentials == nil, !insecure,
        let open = addresses.first(where: { !$0.isLocal })
      {
        throw Failure(
          .usage,
          "\(open) is reachable from other machines; pass --auth-file or --insecure")
      }
      return configuration
    }

    private func addresses(of sockets: [InheritedSocket]) throws(Failure) -> [ListenAddress] {
      var addresses: [ListenAddress] = []
      for socket in sockets {
        guard let address = socket.address else {
          throw Failure(
            .usage,
            "file descriptor \(socket.descriptor) (LISTEN_FDS) is not a listening socket")
        }
        addresses.append(address)
      }
      return addresses
    }
  }
#endif
