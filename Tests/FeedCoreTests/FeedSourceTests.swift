#if Remote
  import CourseSupport
  import FeedCore
  import Foundation
  import LoopbackServer
  import Testing

  @Suite("A feed that comes from a service", .timeLimit(.minutes(10)))
  struct FeedSourceTests {
    @Test(
      "online, the latest feed is delivered and replaces the cache",
      .course(.universities, "Feed, Narrative #1", "Online"),
      .course(.essential, "Image Feed, Narrative #1", "Online"),
      .course(.feed2020, "Image Feed, Narrative #1", "Online"),
      .course(.news, "News Feed, Narrative #1", "Online"),
      arguments: App.replacing)
    func online(app: App) async throws {
      try await Served.run { served in
        let source = try served.source(app)
        for numbers in [1...3, 4...5] {
          served.answer(app.payload(numbers))
          let delivery = try await source.load()
          #expect(delivery.failure == nil)
          #expect(delivery.feed.recordCount == numbers.count)
          #expect(delivery.feed.timestamp == served.now)
          #expect(try served.records(of: app).count == numbers.count)
          served.wait(days: 1)
        }
        #expect(served.server.requests.count == 2)
      }
    }

    @Test(
      "online, the latest characters are delivered and added to the cached ones",
      .course(.characters, "Image Feed, Narrative #1", "Online"),
      .course(.characters, "Save Feed Items Use Case", "Primary course"))
    func onlineCharacters() async throws {
      try await Served.run { served in
        let source = try served.source(.characters)
        served.answer(App.characters.payload(1...3))
        _ = try await source.load()
        served.answer(App.characters.payload(4...5))
        #expect(try await source.load().feed.recordCount == 5)
        let names = try served.database.existingFeed(named: FeedName("characters"))
          .records(of: SeriesCharacter.self).map(\.name)
        #expect(names == ["N1", "N2", "N3", "N4", "N5"])
      }
    }

    @Test("comments are loaded with any status from 200 to 299, other feeds only with 200")
    func statuses() async throws {
      let comment =
        #"{"items":[{"id":"59916DC3-F218-4838-A5DA-7AA34188137B","message":"m","#
        + #""created_at":"2020-05-20T11:24:59Z","author":{"username":"u"}}]}"#
      let cases: [(String, PayloadSchema?, Bool)] = [
        ("comments", nil, true), ("comments-1", nil, true), ("other", .comments, true),
        ("other", nil, false), ("feed", .feed, false), ("comments", .feed, false),
      ]
      for (name, schema, isAccepted) in cases {
        try await Served.run { served in
          served.answer { _ in
            ServedResponse(206, text: schema == .feed ? App.essential.payload([1]) : comment)
          }
          let source = try served.source(name, schema: schema)
          let error = await remoteError { _ = try await source.refresh() }
          #expect(error?.cause == (isAccepted ? nil : .status(206)))
        }
      }
    }

    @Test(
      "offline, a cached feed less than seven days old is delivered, with the failure",
      .course(.essential, "Image Feed, Narrative #2", "Offline, cache less than seven days old"),
      .course(.feed2020, "Image Feed, Narrative #2", "Offline, cache less than seven days old"),
      .course(.news, "News Feed, Narrative #2", "Offline, cache less than seven days old"),
      arguments: App.expiring)
    func offlineValid(app: App) async throws {
      try await Served.run { served in
        let source = try await loaded(app, served)
        await served.server.stop()
        served.wait(days: 7, seconds: -1)
        let delivery = try await source.load()
        #expect((delivery.failure as? RemoteError)?.kind == .connectivity)
        #expect(delivery.feed.recordCount == 3)
        #expect(try served.records(of: app).count == 3)
      }
    }

    @Test(
      "offline, a cached feed that does not expire is delivered however old it is",
      .course(.universities, "Feed, Narrative #2", "Offline, cached feed"),
      .course(.characters, "Image Feed, Narrative #2", "Offline, cached characters"),
      arguments: App.lasting)
    func offlineLasting(app: App) async throws {
      try await Served.run { served in
        let source = try await loaded(app, served)
        await served.server.stop()
        served.wait(days: 10_000)
        let delivery = try await source.load()
        #expect((delivery.failure as? RemoteError)?.kind == .connectivity)
        #expect(delivery.feed.recordCount == 3)
      }
    }

    @Test(
      "offline, with a cached feed seven days old, the service's error is thrown",
      .course(.essential, "Image Feed, Narrative #2", "Offline, cache seven days old or more"),
      .course(.feed2020, "Image Feed, Narrative #2", "Offline, cache seven days old or more"),
      .course(.news, "News Feed, Narrative #2", "Offline, cache seven days old or more"),
      arguments: App.expiring)
    func offlineExpired(app: App) async throws {
      try await Served.run { served in
        let source = try await loaded(app, served)
        await served.server.stop()
        served.wait(days: 7)
        let error = await remoteError { _ = try await source.load() }
        #expect(error?.kind == .connectivity)
        // Only the document of 2020 deletes an expired feed.
        #expect(try served.records(of: app).count == (app.policyName == "feed2020" ? 0 : 3))
      }
    }

    @Test(
      "offline, without a cached feed, the service's error is thrown",
      .course(.universities, "Feed, Narrative #2", "Offline, cache empty"),
      .course(.essential, "Image Feed, Narrative #2", "Offline, cache empty"),
      .course(.feed2020, "Image Feed, Narrative #2", "Offline, cache empty"),
      .course(.characters, "Image Feed, Narrative #2", "Offline, cache empty"),
      .course(.news, "News Feed, Narrative #2", "Offline, cache empty"),
      arguments: App.all)
    func offlineEmpty(app: App) async throws {
      try await Served.run { served in
        let source = try served.source(app)
        // An empty feed is cached, but does not replace the error.
        served.answer(app.payload([]))
        #expect(try await source.load().feed.recordCount == 0)
        await served.server.stop()
        let error = await remoteError { _ = try await source.load() }
        #expect(error?.kind == .connectivity)
      }
    }

    @Test(
      "after invalid data or a status other than 200, the cached feed or an error is delivered",
      .course(.universities, "Load Feed From Remote Use Case", "Invalid data course"),
      .course(.essential, "Load Feed From Remote Use Case", "Invalid data course"),
      .course(.feed2020, "Load Feed From Remote Use Case", "Invalid data course"),
      .course(.characters, "Load Feed Use Case", "Invalid data course"),
      .course(.news, "Load Feed From Remote Use Case", "Invalid data course"),
      arguments: App.all)
    func invalidData(app: App) async throws {
      try await Served.run { served in
        let good = app.payload(1...3)
        let answers = [
          ServedResponse(text: app.badPayload), ServedResponse(text: "no JSON"),
          ServedResponse(text: String(good.dropLast())), ServedResponse(201, text: good),
          ServedResponse(500, text: good), ServedResponse(404), ServedResponse(304),
        ]
        let source = try served.source(app)
        for answer in answers {
          served.answer { _ in answer }
          let error = await remoteError { _ = try await source.load() }
          #expect(error?.kind == .invalidData, "\(answer)")
          #expect(try served.records(of: app) == [])
        }
        served.answer(good)
        _ = try await source.load()
        let before = try served.records(of: app)
        for answer in answers {
          served.answer { _ in answer }
          let delivery = try await source.load()
          #expect((delivery.failure as? RemoteError)?.kind == .invalidData, "\(answer)")
          #expect(try served.records(of: app) == before)
        }
      }
    }

    @Test("a load that is cancelled delivers neither data nor an error, and caches nothing")
    func cancelled() async throws {
      try await Served.run { served in
        let source = try await loaded(.essential, served)
        let before = try served.database.feedDescription(named: source.name)
        let (sent, closed) = (Gate(), Gate())
        let payload = Array(App.essential.payload(1...1_000).utf8)
        served.answer { _ in
          ServedResponse(
            framing: .length(payload.count),
            steps: [
              .bytes(Array(payload.dropLast(10))), .note { sent.open() }, .awaitClosing(closed),
            ])
        }
        let load = Task { try await source.load() }
        await sent.wait()
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        await closed.wait()
        #expect(try served.database.feedDescription(named: source.name) == before)
      }
    }

    @Test("a body cut off by a dropped connection leaves the cached feed unchanged")
    func dropped() async throws {
      try await Served.run { served in
        let source = try await loaded(.essential, served)
        let before = try served.database.feedDescription(named: source.name)
        let records = try served.records(of: .essential)
        let payload = Array(App.essential.payload(1...10_000).utf8)
        for framing in [ServedResponse.Framing.length(payload.count), .chunked] {
          served.answer { _ in
            ServedResponse(
              framing: framing, steps: [.bytes(Array(payload.prefix(payload.count / 2))), .drop])
          }
          let delivery = try await source.load()
          #expect((delivery.failure as? RemoteError)?.kind == .connectivity)
          #expect(delivery.feed == before)
          #expect(try served.records(of: .essential) == records)
        }
      }
    }

    @Test("an unchanged feed becomes current again without being sent again")
    func notModified() async throws {
      try await Served.run { served in
        let payload = App.essential.payload(1...3)
        served.answer { request in
          request.fields["if-none-match"] == "\"one\""
            ? ServedResponse(304) : ServedResponse(fields: [("ETag", "\"one\"")], text: payload)
        }
        let source = try served.source(.essential)
        let first = try await source.load().feed
        // The feed is too old for its policy. Only the service can confirm that it is current.
        served.wait(days: 8)
        let delivery = try await source.load()
        guard case .revalidated = delivery.origin else {
          Issue.record("\(delivery.origin)")
          return
        }
        #expect(delivery.feed.generation == first.generation)
        #expect(delivery.feed.timestamp == served.now)
        #expect(try served.records(of: .essential).count == 3)
        await served.server.stop()
        served.wait(days: 7, seconds: -1)
        #expect(try await source.load().feed.recordCount == 3)
      }
    }

    @Test("a 304 from the target of a redirect does not make the feed current")
    func redirected() async throws {
      try await Served.run { served in
        let payload = App.essential.payload(1...3)
        served.answer { _ in
          ServedResponse(
            fields: [("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")], text: payload)
        }
        let source = try served.source(.essential)
        let first = try await source.load().feed
        served.answer { request in
          guard request.path == "/closed" else { return .redirect(to: "/closed") }
          return request.fields["if-modified-since"] == nil
            ? ServedResponse(text: "closed for today") : ServedResponse(304)
        }
        served.wait(days: 6)
        let delivery = try await source.load()
        #expect((delivery.failure as? RemoteError)?.kind == .invalidData)
        #expect(delivery.feed == first)
        served.wait(days: 1)
        #expect(await remoteError { _ = try await source.load() }?.kind == .invalidData)
      }
    }

    @Test("a feed that is deleted before its 304 arrives is requested again")
    func deletedMeanwhile() async throws {
      try await Served.run { served in
        let payload = App.essential.payload(1...3)
        let name = try FeedName("essential")
        served.answer { [database = served.database] request in
          guard request.fields["if-none-match"] != nil else {
            return ServedResponse(fields: [("ETag", "\"one\"")], text: payload)
          }
          // Another user of the store deletes the feed.
          let wasThere = try? database.delete(name, waits: true)
          return ServedResponse(wasThere == true ? 304 : 500)
        }
        let source = try served.source(.essential)
        _ = try await source.load()
        let delivery = try await source.load()
        #expect(delivery.failure == nil)
        #expect(served.server.requests.count == 3)
        #expect(try served.database.feedDescription(named: name) == delivery.feed)
        #expect(try served.records(of: .essential).count == 3)
      }
    }

    @Test("a hundred tasks that load one feed at once make one request")
    @MainActor
    func coalesced() async throws {
      try await Served.run { served in
        let gate = Gate()
        let payload = App.essential.payload(1...3)
        served.answer { _ in
          await gate.wait()
          return ServedResponse(text: payload)
        }
        let source = try served.source(.essential)
        let loads = (0..<100).map { _ in Task { @MainActor in try await source.load() } }
        // Runs after all loads have started, when each of them waits for the request.
        await Task { @MainActor in gate.open() }.value
        for load in loads { #expect(try await load.value.feed.generation == 1) }
        #expect(served.server.requests.count == 1)
        _ = try await source.load()
        #expect(served.server.requests.count == 2)
      }
    }

    /// A source whose feed of three records is in the cache.
    private func loaded(_ app: App, _ served: Served) async throws -> FeedSource {
      let source = try served.source(app)
      served.answer(app.payload(1...3))
      _ = try await source.load()
      return source
    }
  }
#endif
