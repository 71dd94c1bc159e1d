#if Server
  import ArgumentParser
  import CoreMetrics
  import FeedCore
  import FeedServer
  import FeedTools
  import Logging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// `feedcore serve`
  struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "serve",
      abstract: "Serve the store over HTTP and RESP until it is asked to stop.",
      discussion: """
        Prints a line for each address as soon as it is listened at, with the port that the system \
        chose where 0 was given. What another process ingests is served at once.

        Without an address, HTTP is on 127.0.0.1:8080 and RESP on 127.0.0.1:6380. Addresses that \
        other machines reach need --auth-file or --insecure.

        A line of the authentication file is NAME:PASSWORD, for HTTP's Basic scheme and for RESP's \
        AUTH with a name, or a token, for HTTP's Bearer scheme and for AUTH without one. \
        /healthz and /readyz need neither.

        Started by systemd, RESP is spoken at those of the sockets it gives (LISTEN_FDS) that are \
        called resp (FileDescriptorName=), HTTP at the others, and it is told when the server is \
        ready and when it stops (Type=notify).

        SIGTERM and SIGINT end it: it is no longer ready, takes no more connections, and gives the \
        answers that are under way.
        """)

    @OptionGroup var store: StoreOptions

    @Option(help: ArgumentHelp("Where HTTP is spoken.", valueName: "host:port"))
    var http: [HostAndPort] = []

    @Option(
      help: ArgumentHelp("The path of a Unix socket for HTTP.", valueName: "path"),
      completion: .file())
    var httpSocket: [String] = []

    @Option(help: ArgumentHelp("Where RESP is spoken.", valueName: "host:port"))
    var resp: [HostAndPort] = []

    @Option(
      help: ArgumentHelp("The path of a Unix socket for RESP.", valueName: "path"),
      completion: .file())
    var respSocket: [String] = []

    @Option(
      help: ArgumentHelp(
        "The service that a feed comes from: asked when the cached feed is older than a minute.",
        valueName: "name=url"))
    var origin: [OriginOption] = []

    @Option(
      help: ArgumentHelp(
        "What the cached feed is worth: \(PolicyName.allValueStrings.joined(separator: ", ")).",
        valueName: "name=policy"))
    var policy: [FeedPolicyOption] = []

    @Option(
      help: ArgumentHelp(
        "Scheme, host and port that clients reach a proxy at which is in front of this server: what"
          + " absolute links begin with. By default http and the host that is asked.",
        valueName: "url"))
    var publicUrl: PublicURL?

    @Option(help: ArgumentHelp("The connections of each protocol at once.", valueName: "n"))
    var maxConnections = 4096

    @Option(
      help: ArgumentHelp(
        "The memory for answers that are kept to be given again, such as 256MB.",
        valueName: "size"))
    var cache = ByteCount(64 << 20)

    @Option(
      help: ArgumentHelp(
        "How many seconds a request may take to come, an answer to begin, and a client to take"
          + " more of it.", valueName: "s"))
    var requestTimeout = 30.0

    @Option(
      help: ArgumentHelp(
        "How many seconds answers that are under way have when the server is asked to stop.",
        valueName: "s"))
    var drainTimeout = 10.0

    @Option(
      help: ArgumentHelp("Who is let in.", valueName: "file"), completion: .file())
    var authFile: String?

    @Flag(help: "Let other machines in without credentials.")
    var insecure = false

    @Option(help: ArgumentHelp("What is logged, on standard error.", valueName: "level"))
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
        throw ValidationError("--cache is more than the memory of this machine")
      }
      guard maxConnections > 0 else {
        throw ValidationError("--max-connections has to be at least 1")
      }
      guard (0.05...86_400).contains(requestTimeout), (0...86_400).contains(drainTimeout) else {
        throw ValidationError("a timeout lies between a twentieth of a second and a day")
      }
    }

    func run() throws {
      // Responses of up to a megabyte for many clients, freed in any order, fragment the heap. With
      // 1800 clients that read slowly, it took 370 to 840 MB, and 115 MB with this setting.
      MemoryWatch.returnLargeBlocks(from: 128 << 10)
      let level = logLevel?.level ?? .warning
      LoggingSystem.bootstrap { label in
        var handler = StreamLogHandler.standardError(label: label)
        handler.logLevel = level
        return handler
      }
      let server = try server()
      let result = AwaitedWork.result { try await server.runUntilAskedToStop() }
      do { try result.get() } catch { throw Failure(any: error) }
    }

    private func server() throws -> FeedServer {
      let configuration = try configuration()
      let database = try store.open(making: FeedDatabase.Options())
      return try FeedServer(ServedStore(database), configuration) { transport, address in
        let output = Output.standard()
        output.write("\(transport.rawValue.uppercased()) on \(address)\n")
        try? output.finish()
      }
    }

    private func configuration() throws(Failure) -> ServerConfiguration {
      var configuration = ServerConfiguration()
      for origin in origin {
        configuration.origins[try FeedName(ofNewFeed: origin.name.text)] = origin.url
      }
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
      configuration.drainDeadline = .seconds(drainTimeout)
      for policy in policy { configuration.policies[policy.name] = policy.policy }
      configuration.publicURL = publicUrl?.text
      configuration.credentials = try credentials()
      configuration.logger = Logger(label: "feedcore")
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
          "other machines reach \(open): say who is let in with --auth-file, or that everybody is"
            + " with --insecure")
      }
      return configuration
    }

    private func addresses(of sockets: [InheritedSocket]) throws(Failure) -> [ListenAddress] {
      var addresses: [ListenAddress] = []
      for socket in sockets {
        guard let address = socket.address else {
          throw Failure(
            .usage,
            "file descriptor \(socket.descriptor) was given to listen at (LISTEN_FDS), and is no"
              + " socket that listens")
        }
        addresses.append(address)
      }
      return addresses
    }

    private func credentials() throws(Failure) -> Credentials? {
      guard let authFile else { return nil }
      let bytes = try FileContents.read(authFile, limit: 1 << 20)
      guard let text = String(validating: bytes, as: UTF8.self),
        let credentials = Credentials(lines: text)
      else {
        let name = FileContents.name(of: authFile)
        throw Failure(
          .badData, "\(name): a line is NAME:PASSWORD or a token, and there is at least one")
      }
      return credentials
    }
  }
#endif
