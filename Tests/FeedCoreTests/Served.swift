#if Remote
  import FeedCore
  import Foundation
  import LoopbackServer
  import Synchronization
  import TestSupport

  /// A store for one test, and a server whose answer the test can change.
  final class Served: Sendable {
    let server: LoopbackServer
    let client: AsyncHTTPTransport
    let database: FeedDatabase
    let directory: TemporaryDirectory
    /// The current time of the clock.
    var now: Date { clock.withLock { $0 } }
    private let clock = Mutex(Date(timeIntervalSinceReferenceDate: 800_000_000))
    private let answer: Answers

    /// The answer to new requests.
    private final class Answers: Sendable {
      let current: Mutex<LoopbackServer.Answer>
      init(_ answer: @escaping LoopbackServer.Answer) { current = Mutex(answer) }
    }

    private init(
      _ server: LoopbackServer, _ connections: Int, _ directory: TemporaryDirectory,
      _ answer: Answers
    ) throws {
      var options = AsyncHTTPTransport.Options()
      options.connectionsPerHost = connections
      client = AsyncHTTPTransport(options)
      database = try FeedDatabase.open(at: directory.path)
      self.server = server
      self.directory = directory
      self.answer = answer
    }

    /// Runs a test, and closes the server and the client after it.
    static func run(
      connections: Int = 8, answer: @escaping LoopbackServer.Answer = { _ in ServedResponse(500) },
      _ body: (Served) async throws -> Void
    ) async throws {
      let answers = Answers(answer)
      let server = try await LoopbackServer(choosing: { _ in answers.current.withLock { $0 } })
      let served = try Served(server, connections, TemporaryDirectory(inMemory: true), answers)
      let result: Result<Void, any Error>
      do { result = .success(try await body(served)) } catch { result = .failure(error) }
      await served.client.shutdown()
      await server.stop()
      try result.get()
    }

    /// Sets the answer to new requests. Earlier requests keep their answer.
    func answer(_ answer: @escaping LoopbackServer.Answer) {
      self.answer.current.withLock { $0 = answer }
    }

    func answer(_ text: String) { answer { _ in ServedResponse(text: text) } }

    /// Advances the clock.
    func wait(days: Int, seconds: Int = 0) {
      clock.withLock { $0 += Double(days * 86_400 + seconds) }
    }

    /// The images of the store, loaded from any URL.
    func imageSource() throws -> ImageSource {
      ImageSource(try ImageStore.open(at: directory.path), client: client)
    }

    /// The feed of an app, from the server's root.
    func source(_ app: App) throws -> FeedSource {
      try source(app.policyName, schema: app.schema, policy: app.policy)
    }

    /// A feed from the server's root.
    func source(
      _ name: String, schema: PayloadSchema? = nil, policy: CachePolicy? = nil,
      dates: PayloadParser.Dates = .strict
    ) throws -> FeedSource {
      FeedSource(
        try FeedName(name), from: server.url, in: database, schema: schema, policy: policy,
        dates: dates, client: client, currentDate: { self.now })
    }

    /// The feed's records as lines of JSON; empty if the feed does not exist.
    func records(of app: App) throws -> [String] {
      let writer = RecordWriter(app.schema)
      var lines: [String] = []
      guard try database.feedDescription(named: FeedName(app.policyName)) != nil else { return [] }
      try database.forEachRecord(in: FeedName(app.policyName)) { (record, _) throws(StoreError) in
        var text: [UInt8] = []
        do throws(RecordError) {
          try writer.append(record, to: &text)
        } catch {
          throw StoreError(error)
        }
        lines.append(String(decoding: text, as: UTF8.self))
        return true
      }
      return lines
    }
  }

  /// The error of a call that is expected to throw; nil if it returns.
  func remoteError(_ body: () async throws -> Void) async -> RemoteError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? RemoteError
    }
  }
#endif
