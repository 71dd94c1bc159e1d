#if Remote
  import ArgumentParser
  import FeedCore
  import FeedTools
  import JSONStream
  import Synchronization

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// `feedcore load`
  struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "load",
      abstract: "Load a feed from its service into the cache, else use the cached one.",
      discussion: """
        If the service cannot be reached or its data is invalid, prints the cached feed if it is \
        valid by its policy, with the cause on standard error, and ends with 0. Without such a feed \
        it ends with 69 or 65 and changes nothing. If the service answers that it failed, in a body \
        such as {"status": "error"}, it prints the cached feed and ends with 65.

        After status 429, 502, 503 and 504 the request is sent twice more, after the time that the \
        service asks for (Retry-After) if that is at most 30 seconds.

        A body that is longer than --max-body-bytes, of which nothing comes for 30 seconds, or less \
        than 1 kB a second on average over 30 seconds, is refused with 69. The space that it has \
        taken in the store is used again.

        EXAMPLES:
          feedcore load news --url https://example.com/news.json
          # With a secret header field in a file:
          feedcore load news --url https://example.com/news.json --header @key.txt
          # A small feed that should be here soon:
          feedcore load news --url https://example.com/news.json --timeout 20
          # The cached feed, without a request:
          feedcore load news --offline --json | jq .ageSeconds
        """)

    @Argument(help: ArgumentHelp("The feed.", valueName: "name"), completion: .feedNames)
    var name: String

    @Option(help: ArgumentHelp("The URL of the feed.", valueName: "url"))
    var url: ServiceURL?

    @Option(
      help: ArgumentHelp(
        "The number of pages, or all. A page links to the next one by info.next. All of them are"
          + " cached together, or nothing is.", valueName: "n|all"))
    var pages = PageCount(1)

    @OptionGroup var service: HeaderOptions

    @OptionGroup var store: ChangedStoreOptions

    @Option(help: ArgumentHelp("The kind of the records.", valueName: "kind"))
    var kind = PayloadKind.automatic

    @Option(
      help: ArgumentHelp(
        "The policy that decides how long a cached feed is valid and how a new one is saved. By"
          + " default that of its kind's app.", valueName: "policy"))
    var policy: PolicyName?

    @Option(
      help: ArgumentHelp(
        "Dates other than ISO 8601 with a zone: strict rejects the data, lenient accepts other"
          + " common forms. By default strict.", valueName: "strict|lenient"))
    var dates = PayloadParser.Dates.strict

    @Option(
      help: ArgumentHelp(
        "The maximum length of the body, also after its decompression.", valueName: "size"))
    var maxBodyBytes = ByteCount(BodyLimits.feed.contentBytes)

    @Option(
      help: ArgumentHelp(
        "The seconds until the whole body has arrived. By default there is no limit.",
        valueName: "s"))
    var timeout: Double?

    @Flag(help: "Send no request to the service.")
    var offline = false

    @Flag(help: "Print no progress and no last line.")
    var quiet = false

    @Flag(help: "Print the result as one JSON object.")
    var json = false

    func validate() throws {
      guard url != nil || offline else { throw ValidationError("pass --url or --offline") }
      guard maxBodyBytes.bytes > 0 else {
        throw ValidationError("--max-body-bytes takes a number above 0")
      }
      guard (0.05...31_536_000).contains(timeout ?? 1) else {
        throw ValidationError("--timeout takes 0.05 to 31536000 seconds")
      }
    }

    func run() throws {
      let name = try FeedName(argument: name)
      if let url, !offline {
        try load(FeedName(ofNewFeed: self.name), from: url.url)
      } else {
        try service.verify()
        try showCached(name)
      }
    }

    private func load(_ name: FeedName, from url: URL) throws(Failure) {
      var options = AsyncHTTPTransport.Options()
      options.timeouts.whole = timeout.map { .seconds($0) }
      options.began = .now
      var retries = RetryPolicy()
      // Without a connection, the cached feed is shown at once.
      retries.retriesTransportErrors = false
      if let timeout {
        retries.maximumRetryAfter = min(retries.maximumRetryAfter, .seconds(timeout))
      }
      let client = RetryingHTTPClient(try service.client(for: url, options), policy: retries)
      Interruption.install()
      let database = try store.open(making: FeedDatabase.Options())
      let earlier = try? database.feedDescription(named: name)
      let progress = Mutex<IngestProgress?>(nil)
      let source = FeedSource(
        name, from: url, in: database, schema: kind.schema, policy: policy(of: name, in: database),
        dates: dates, client: client, limits: BodyLimits(bytes: maxBodyBytes.bytes),
        onProgress: { news in progress.withLock { $0 = news } })
      let meter = IngestMeter(totalBytes: nil, isSilent: quiet || json)
      let result = AwaitedWork.result {
        if let news = progress.withLock({ $0 }) { meter.update(news) }
      } of: {
        do {
          return try await source.load(pages: pages.value)
        } catch {
          // Waits until the load has removed what it wrote.
          await source.waitUntilIdle()
          throw error
        }
      }
      let measures = meter.finish()
      switch result {
      case .success(let delivery):
        let cause = delivery.failure.map { Failure(any: $0) }
        if let cause, isOfAnotherKind(delivery.feed) { throw cause }
        cause?.report()
        try print(LoadSummary(delivery, measures, cause: cause?.message))
        // A failed answer reports a fault that a retry does not fix, such as a wrong key.
        if let error = delivery.failure as? RemoteError, error.isFailedAnswer {
          throw Failure(.badData)
        }
      case .failure(let error):
        guard Interruption.isRequested else { throw Failure(any: error) }
        // The signal may come while the last step is under way.
        let now = try? database.feedDescription(named: name)
        throw Failure(
          .interrupted,
          now?.generation == earlier?.generation
            ? "interrupted; nothing was cached" : "interrupted; the records are cached")
      }
    }

    private func showCached(_ name: FeedName) throws {
      guard let database = try store.openIfExists() else { throw unavailable(name, nil) }
      let feed = try database.validFeed(named: name, policy: policy(of: name, in: database))
      guard let feed, feed.recordCount > 0, !isOfAnotherKind(feed) else {
        throw unavailable(name, try? database.feedDescription(named: name))
      }
      try print(LoadSummary(cached: feed))
    }

    private func unavailable(_ name: FeedName, _ feed: FeedDescription?) -> Failure {
      let reason =
        switch feed {
        case nil: "is not in the cache"
        case .some(let feed) where isOfAnotherKind(feed):
          "has \(feed.kind) in the cache, not \(kind.schema?.name ?? "")"
        case .some(let feed) where feed.recordCount == 0: "has no records in the cache"
        case .some: "has expired in the cache"
        }
      return Failure(
        .unavailable,
        "Couldn't connect to server: \(name) \(reason), and no request was sent to the service"
      )
    }

    /// Whether the feed has records of another kind than requested.
    private func isOfAnotherKind(_ feed: FeedDescription) -> Bool {
      kind.schema.map { $0.name != feed.kind } ?? false
    }

    // If no kind is given, that of the cached feed applies.
    private func policy(of name: FeedName, in database: FeedDatabase) -> CachePolicy {
      if let policy { return policy.policy }
      if let schema = kind.schema { return schema.policy }
      let cached = try? database.feedDescription(named: name)
      return cached.map { CachePolicy.preset(ofKind: $0.kind) } ?? .essential
    }

    private func print(_ summary: LoadSummary) throws(Failure) {
      let output = Output.standard()
      if json {
        output.write(summary.json)
      } else if !quiet {
        output.write(summary.line + "\n")
      }
      try output.finish()
    }
  }

  /// The last line of a load: the feed, and its origin.
  struct LoadSummary {
    private enum Origin: String {
      case remote
      case unchanged
      case cache
    }

    private let feed: FeedDescription
    private let origin: Origin
    private let ingest: IngestSummary?
    private let cause: String?
    private let age: Double

    /// - Parameter cause: why the cached feed is used, if it is.
    init(_ delivery: FeedDelivery, _ measures: IngestMeter.Measures, cause: String?) {
      var ingest: IngestSummary?
      switch delivery.origin {
      case .remote(let report):
        origin = .remote
        ingest = IngestSummary(report: report, measures: measures)
      case .revalidated: origin = .unchanged
      case .cache: origin = .cache
      }
      self.ingest = ingest
      self.cause = cause
      feed = delivery.feed
      age = Self.age(of: delivery.feed)
    }

    /// A cached feed, without a request to its service.
    init(cached feed: FeedDescription) {
      self.feed = feed
      origin = .cache
      ingest = nil
      cause = nil
      age = Self.age(of: feed)
    }

    private static func age(of feed: FeedDescription) -> Double {
      Date().timeIntervalSinceReferenceDate - feed.referenceSeconds
    }

    /// `universities: 54 records, unchanged, generation 7`, or `…, from the cache, 3 h old, …`; for
    /// a feed that was loaded, the line of an ingest.
    var line: String {
      if let ingest { return ingest.line }
      let state =
        origin == .unchanged
        ? "unchanged" : "from the cache, \(ReadableAge.text(seconds: age)) old"
      return "\(feed.name): \(ReadableNumber.counted(feed.recordCount, "record")), \(state),"
        + " generation \(feed.generation)"
    }

    /// The same as JSON.
    var json: JSONLine {
      var line = JSONLine()
      line.add("feed", feed.name.text)
      line.add("kind", feed.kind)
      line.add("origin", origin.rawValue)
      line.add("records", feed.recordCount)
      line.add("generation", feed.generation)
      line.add("ageSeconds", Int(exactly: age.rounded(.down)))
      line.add("timestamp", referenceSeconds: feed.referenceSeconds)
      line.add("error", cause)
      line.add("ingest", ingest?.json)
      return line
    }
  }
#endif
