#if Server
  import FeedRecord
  import FeedSchema
  import FeedStorage
  import HTTPTypes
  import JSONStream
  import Threading

  /// The query of a request for a feed.
  struct QueryRequest: Sendable {
    /// The parameters that make a request a query.
    private static let names: Set<String> = ["where", "fields", "sort", "offset"]

    let conditions: [String]
    let sort: [String]
    private let fields: String?

    init(_ target: RequestTarget) {
      func values(_ name: String) -> [String] {
        target.items.filter { $0.name == name }.map(\.value)
      }
      conditions = values("where")
      sort = values("sort")
      fields = target["fields"]
    }

    /// Whether a request for a feed asks for more than its pages.
    static func isQuery(_ request: APIRequest, _ format: FeedFormat) -> Bool {
      format.isDelimited || request.target.items.contains { names.contains($0.name) }
    }

    /// Compiles the conditions and the order for a feed.
    ///
    /// - Throws: ``Problem`` 400
    func compiled(
      for feed: Feed, offset: Int = 0, limit: Int? = nil
    ) throws(Problem) -> CompiledQuery {
      do throws(QueryError) {
        return try CompiledQuery(
          FeedQuery(where: conditions, sort: sort, offset: offset, limit: limit), for: feed)
      } catch {
        throw Problem(.badRequest, error.description)
      }
    }

    /// The values to send; nil for whole records.
    ///
    /// - Throws: ``Problem`` 400
    func fields(of feed: Feed) throws(Problem) -> QueryFields? {
      guard let text = fields else { return nil }
      do throws(QueryError) {
        let fields = try QueryFields(text)
        try feed.checkFields(fields)
        return fields
      } catch {
        throw Problem(.badRequest, error.description)
      }
    }

    /// A path in the query.
    ///
    /// - Throws: ``Problem`` 400
    static func path(
      _ name: String, _ request: APIRequest, of feed: Feed
    ) throws(Problem) -> JSONPath {
      guard let text = request.target[name] else {
        throw Problem.parameter(name, "a path, such as a.b")
      }
      do throws(QueryError) {
        let path = try JSONPath(query: text)
        try feed.checkField(of: path)
        return path
      } catch {
        throw Problem(.badRequest, error.description)
      }
    }

    /// Distinguishes the response to this request from those to others for the same generation.
    static func form(_ request: APIRequest) -> String {
      "q" + String(KeyHash.hash(Array(request.target.text.utf8).span.bytes), radix: 36)
    }
  }

  /// Runs queries that read many records: off the event loops, few at once, and for a limited time.
  struct QueryRunner: Sendable {
    /// The number of queries at once. One processor is left for all other responses.
    static let width = max(JSONOptions().lanes - 1, 1)
    private static let permits = AsyncSemaphore(width)

    private let timeout: Duration
    private let maximumBytes: Int

    init(_ configuration: ServerConfiguration) {
      timeout = configuration.queryTimeout
      maximumBytes = configuration.maximumQueryBytes
    }

    /// Runs a query. The time limit includes the wait for other queries.
    ///
    /// - Throws: ``Problem`` 503 with the remedy if it would take too long; the error of `body`
    func run<Value: Sendable>(
      _ body: @escaping @Sendable (QueryLimits) throws -> Value
    ) async throws -> Value {
      let deadline = ContinuousClock.now + timeout
      let limits = QueryLimits(
        deadline: deadline, maximumBytes: maximumBytes, isCancelled: { Task.isCancelled },
        pause: SearchThreads.yield)
      do {
        let value = try await Deadline.value(within: timeout) {
          try await Self.withPermit { try body(limits) }
        }
        if let value { return value }
      } catch let error as StoreError where error.code == .limitExceeded {
        throw refusal(error.message)
      }
      throw refusal("the query has taken too long and stopped")
    }

    /// Runs a body on a search thread once there is a permit.
    static func withPermit<Value: Sendable>(
      _ body: @Sendable () throws -> Value
    ) async throws -> Value {
      try await permits.waitUnlessCancelled()
      defer { permits.signal() }
      return try await withTaskExecutorPreference(SearchThreads.shared) { try await call(body) }
    }

    @concurrent
    private static func call<Value: Sendable>(
      _ body: @Sendable () throws -> Value
    ) async throws -> Value {
      try body()
    }

    private func refusal(_ reason: String) -> Problem {
      Problem(
        .serviceUnavailable,
        reason + "; ask for equality on the key or an indexed field (ingest --index), or use"
          + " feedcore show, which has no limit", fields: [.retryAfter: "5"])
    }
  }
#endif
