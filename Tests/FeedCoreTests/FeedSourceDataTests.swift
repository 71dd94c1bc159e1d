#if Remote
  import FeedCore
  import Foundation
  import LoopbackServer
  import Synchronization
  import TestSupport
  import Testing

  @Suite("Answers of a service for a feed", .serialized, .timeLimit(.minutes(10)))
  struct FeedSourceDataTests {
    @Test("a date in another format than the contract's is invalid data for a strict source")
    func dates() async throws {
      try await Served.run { served in
        let payload = App.news.payload([1]).replacing("2020-05-20T11:24:59Z", with: "2020-05-20")
        served.answer(payload)
        let strict = try served.source(.news)
        let error = await remoteError { _ = try await strict.load() }
        #expect(error?.kind == .invalidData)
        let lenient = try served.source("lenient", schema: .news, policy: .news, dates: .lenient)
        #expect(try await lenient.load().failure == nil)
        let loaded = try await FeedSourceLoader<Article>(lenient).load()
        let midnight = Date(timeIntervalSince1970: 1_589_932_800)
        #expect(loaded.map(\.publishedAt) == [midnight])
        served.answer(payload.replacing("2020-05-20", with: "soon"))
        #expect(await remoteError { _ = try await lenient.refresh() }?.kind == .invalidData)
      }
    }

    @Test("a gzip file is decompressed even if no field declares it")
    func packedFile() async throws {
      try await Served.run { served in
        let packed = try Packed.gzip(Array(App.essential.payload(1...100).utf8))
        served.answer { _ in ServedResponse(steps: [.bytes(packed)]) }
        let delivery = try await served.source(.essential).load()
        #expect(delivery.feed.recordCount == 100)
        let before = try served.records(of: .essential)
        // A truncated file changes nothing.
        served.answer { _ in ServedResponse(steps: [.bytes(Array(packed.dropLast(5)))]) }
        let failed = try await served.source(.essential).load()
        #expect((failed.failure as? RemoteError)?.kind == .invalidData)
        #expect(try served.records(of: .essential) == before)
      }
    }

    @Test(
      "an answer of status 200 that reports a failure leaves the cached feed",
      arguments: App.all)
    func failedAnswer(app: App) async throws {
      try await Served.run { served in
        let source = try served.source(app)
        served.answer(app.payload(1...3))
        _ = try await source.load()
        let key = app.schema.recordKey ?? "items"
        served.answer(#"{"error":{"code":17,"message":"maintenance"},"\#(key)":[]}"#)
        let delivery = try await source.load()
        #expect(delivery.feed.recordCount == 3)
        #expect(try served.records(of: app).count == 3)
        let error = try #require(delivery.failure as? RemoteError)
        #expect(error.kind == .invalidData)
        #expect(error.isFailedAnswer)
        #expect(error.description.contains("17: maintenance"))
      }
    }

    @Test("a correct answer without records is an empty feed", arguments: App.replacing)
    func emptyAnswer(app: App) async throws {
      try await Served.run { served in
        let source = try served.source(app)
        served.answer(app.payload(1...3))
        _ = try await source.load()
        served.answer(app.payload([]))
        let delivery = try await source.load()
        #expect(delivery.failure == nil)
        #expect(delivery.feed.recordCount == 0)
      }
    }

    @Test("an answer of another kind than the feed it is appended to is invalid data")
    func otherKind() async throws {
      try await Served.run { served in
        let source = try served.source("anything", policy: .characters)
        served.answer(App.characters.payload(1...3))
        #expect(try await source.load().failure == nil)
        served.answer(App.universities.payload(1...3))
        let delivery = try await source.load()
        let failure = try #require(delivery.failure as? RemoteError)
        #expect(failure.kind == .invalidData)
        #expect(failure.description.contains("characters"))
        #expect(delivery.feed.kind == "characters")
        #expect(delivery.feed.recordCount == 3)
        #expect(await remoteError { _ = try await source.refresh() }?.kind == .invalidData)
      }
    }

    @Test("an answer of another kind does not replace the cached feed")
    func changedKind() async throws {
      try await Served.run { served in
        for app in App.replacing {
          let source = try served.source(app.policyName)
          served.answer(app.payload(1...3))
          #expect(try await source.load().failure == nil)
          let before = try served.records(of: app)
          for other in App.all where other.schema != app.schema {
            served.answer(other.payload(1...2))
            let delivery = try await source.load()
            let failure = try #require(delivery.failure as? RemoteError)
            #expect(failure.kind == .invalidData)
            #expect(failure.description.contains(app.schema.name), "\(failure)")
            #expect(delivery.feed.kind == app.schema.name)
          }
          #expect(try served.records(of: app) == before)
        }
      }
    }

    @Test("an answer without items is an empty feed of the cached feed's kind")
    func emptied() async throws {
      try await Served.run { served in
        for app in App.replacing {
          let source = try served.source(app.policyName)
          served.answer(app.payload(1...3))
          _ = try await source.load()
          served.answer(app.payload([]))
          let delivery = try await source.load()
          #expect(delivery.failure == nil)
          #expect(delivery.feed.kind == app.schema.name)
          #expect(delivery.feed.recordCount == 0)
        }
      }
    }

    @Test("a source without a kind follows the policy of the cached feed's kind")
    func policyOfKind() async throws {
      try await Served.run { served in
        let source = try served.source("anything")
        #expect(source.policy == .essential)
        served.answer(App.characters.payload(1...3))
        _ = try await source.load()
        #expect(source.policy == .characters)
        served.answer(App.characters.payload(4...5))
        #expect(try await source.load().feed.recordCount == 5)
        await served.server.stop()
        served.wait(days: 10_000)
        #expect(try await source.load().feed.recordCount == 5)
      }
    }

    @Test("cached characters are not replaced while the store has no reader slot to see them")
    func hiddenCache() async throws {
      try await Served.run { served in
        let source = try served.source("anything")
        served.answer(App.characters.payload(1...3))
        _ = try await source.load()

        // All reader slots are taken until the request reaches the service.
        let held = Mutex<[HeldReader]>([])
        #expect(throws: (any Error).self) {
          while true {
            let reader = try HeldReader(of: served.database)
            held.withLock { $0.append(reader) }
          }
        }
        let payload = App.characters.payload(4...5)
        served.answer { _ in
          for reader in held.withLock({ $0 }) { reader.end() }
          return ServedResponse(text: payload)
        }
        let error = await #expect(throws: StoreError.self) { try await source.load() }
        #expect(error?.code == .busy)
        for reader in held.withLock({ $0 }) { reader.end() }
        #expect(try served.database.feedDescription(named: source.name)?.recordCount == 3)
        #expect(try await source.load().feed.recordCount == 5)
      }
    }
  }
#endif
