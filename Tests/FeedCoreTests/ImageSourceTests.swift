#if Remote
  import CourseSupport
  import FeedCore
  import Foundation
  import LoopbackServer
  import Synchronization
  import TestSupport
  import Testing

  @Suite("Images that come from a service", .timeLimit(.minutes(10)))
  struct ImageSourceTests {
    /// A different image for each path.
    private static func bytes(_ path: String, count: Int = 8_192) -> [UInt8] {
      let text = Array((path + "\n").utf8)
      var bytes: [UInt8] = []
      while bytes.count < count { bytes += text }
      return Array(bytes[..<count])
    }

    private static func urls(_ served: Served, _ numbers: Range<Int>) -> [URL] {
      numbers.map { served.server.url("/images/\($0)") }
    }

    /// The number of requests in progress, and its maximum.
    private struct Load {
      var current = 0
      var most = 0
    }

    @Test("an image with no-store is delivered, but neither stored nor prefetched")
    func notToBeKept() async throws {
      try await Served.run { request in
        ServedResponse(
          fields: [("Cache-Control", "no-store")], steps: [.bytes(Self.bytes(request.path))])
      } _: { served in
        let source = try served.imageSource()
        let urls = Self.urls(served, 0..<3)
        let report = try await source.prefetch(urls)
        #expect(report.fetchedCount == 0)
        #expect(report.failures.count == 3)
        #expect(
          try await source.loadImageData(from: urls[0]) == Data(Self.bytes(urls[0].path)))
        #expect(try source.images.statistics().imageCount == 0)
      }
    }

    @Test(
      "a refresh that is answered with no-store removes the image from the store",
      arguments: [200, 304])
    func notToBeKeptAnyMore(status: Int) async throws {
      try await Served.run { _ in
        ServedResponse(fields: [("ETag", "\"one\"")], text: "one")
      } _: { served in
        let source = try served.imageSource()
        let url = served.server.url("/image")
        #expect(try await source.loadImageData(from: url) == Data("one".utf8))
        served.answer { _ in
          let fields = [("Cache-Control", "no-store")]
          return status == 304
            ? ServedResponse(304, fields: fields) : ServedResponse(fields: fields, text: "two")
        }
        let latest = Data((status == 304 ? "one" : "two").utf8)
        #expect(try await source.refresh(url) == latest)
        #expect(try source.images.statistics().imageCount == 0)
        served.answer("three")
        #expect(try await source.loadImageData(from: url) == Data("three".utf8))
      }
    }

    @Test("a page of text instead of an image is invalid data, and is not stored")
    func captivePortal() async throws {
      try await Served.run { _ in
        ServedResponse(
          fields: [("Content-Type", "Text/HTML; charset=utf-8"), ("ETag", "\"page\"")],
          steps: [.bytes(Array("<html>log in</html>".utf8))])
      } _: { served in
        let source = try served.imageSource()
        let url = served.server.url("/image.png")
        let loaded = await remoteError { _ = try await source.loadImageData(from: url) }
        #expect(loaded?.kind == .invalidData)
        let refreshed = await remoteError { _ = try await source.refresh(url) }
        #expect(refreshed?.kind == .invalidData)
        #expect(try await source.prefetch([url]).failures.count == 1)
        #expect(try source.images.statistics().imageCount == 0)

        let image = Self.bytes("/image.png")
        served.answer { _ in
          ServedResponse(fields: [("Content-Type", "image/png")], steps: [.bytes(image)])
        }
        #expect(try await source.loadImageData(from: url) == Data(image))
      }
    }

    @Test("a thousand images are prefetched once each, at most 64 at a time, and load offline")
    func prefetch() async throws {
      let load = Mutex(Load())
      try await Served.run(connections: 64) { request in
        load.withLock { load in
          load.current += 1
          load.most = max(load.most, load.current)
        }
        await Task.yield()
        load.withLock { $0.current -= 1 }
        return ServedResponse(steps: [.bytes(Self.bytes(request.path))])
      } _: { served in
        let source = try served.imageSource()
        let urls = Self.urls(served, 0..<1_000)
        // Each URL is passed twice.
        let report = try await source.prefetch(urls + urls, maximumInFlight: 64)
        #expect(report.fetchedCount == 1_000)
        #expect(report.failures.isEmpty)
        #expect(load.withLock { $0.most } <= 64)
        let asked = served.server.requests.map(\.path)
        #expect(asked.count == 1_000)
        #expect(Set(asked).count == 1_000)
        await served.server.stop()
        for url in urls {
          #expect(try await source.loadImageData(from: url) == Data(Self.bytes(url.path)))
        }
        #expect(try await source.prefetch(urls).cachedCount == 1_000)
      }
    }

    @Test("a cancelled prefetch leaves only complete images")
    func cancelledPrefetch() async throws {
      let never = Gate()
      try await Served.run(connections: 16) { request in
        let bytes = Self.bytes(request.path, count: 300_000)
        let number = Int(request.path.split(separator: "/").last ?? "") ?? 0
        guard number >= 20 else { return ServedResponse(steps: [.bytes(bytes)]) }
        return ServedResponse(
          framing: .length(bytes.count),
          steps: [.bytes(Array(bytes.prefix(200_000))), .wait(never)])
      } _: { served in
        let source = try served.imageSource()
        let images = source.images
        let urls = Self.urls(served, 0..<60)
        let prefetch = Task { try await source.prefetch(urls, maximumInFlight: 16) }
        // Twenty requests are answered, and sixteen are in progress.
        await served.server.waitForRequests(36)
        prefetch.cancel()
        await #expect(throws: CancellationError.self) { try await prefetch.value }
        never.open()
        var stored: Set<String> = []
        try images.forEachImage { image in
          stored.insert(image.url)
          return true
        }
        #expect(stored == Set(urls.prefix(20).map(\.absoluteString)))
        for url in urls.prefix(20) {
          #expect(
            try images.retrieve(dataForURL: url) == Data(Self.bytes(url.path, count: 300_000)))
        }
      }
    }

    @Test("a hundred tasks that refresh one image at once make one request")
    @MainActor
    func coalescedRefreshes() async throws {
      let gate = Gate()
      try await Served.run { request in
        await gate.wait()
        return ServedResponse(steps: [.bytes(Self.bytes(request.path))])
      } _: { served in
        let source = try served.imageSource()
        let url = served.server.url("/image")
        let loads = (0..<100).map { _ in Task { @MainActor in try await source.refresh(url) } }
        // Runs after all refreshes have started, when each of them waits for the request.
        await Task { @MainActor in gate.open() }.value
        for load in loads { #expect(try await load.value == Data(Self.bytes(url.path))) }
        #expect(served.server.requests.count == 1)
      }
    }

    @Test("an image that cannot be fetched is reported, and does not stop the others")
    func failures() async throws {
      try await Served.run { request in
        request.path.hasSuffix("7") ? ServedResponse(404) : ServedResponse(text: request.path)
      } _: { served in
        let source = try served.imageSource()
        let report = try await source.prefetch(Self.urls(served, 0..<10))
        #expect(report.fetchedCount == 9)
        #expect(report.failures.map(\.url.path) == ["/images/7"])
      }
    }

    @Test(
      "an image is fetched once, stored with its metadata, and available offline",
      .course(.essential, "Load Feed Image Data From Remote Use Case", "Primary course"),
      .course(.essential, "Cache Feed Image Data Use Case", "Primary course"),
      .course(.essential, "Load Feed Image Data From Cache Use Case", "Primary course"),
      .course(.news, "Load News Feed Image Data From Remote Use Case", "Primary course"),
      .course(.news, "Cache Feed Image Data Use Case", "Primary course"),
      .course(.news, "Load Articles Feed Image Data From Cache Use Case", "Primary course"))
    func cached() async throws {
      try await Served.run { _ in
        ServedResponse(
          fields: [("Content-Type", "image/png"), ("ETag", "\"x\"")], text: "an image")
      } _: { served in
        let source = try served.imageSource()
        let images = source.images
        let url = served.server.url("/image")
        #expect(try await source.loadImageData(from: url) == Data("an image".utf8))
        await served.server.stop()
        #expect(try await source.loadImageData(from: url) == Data("an image".utf8))
        #expect(served.server.requests.count == 1)
        let metadata = try images.description(of: url.absoluteString)?.metadata
        #expect(metadata?.contentType == "image/png")
        #expect(metadata?.entityTag == "\"x\"")
      }
    }

    @Test(
      "bytes that are not an image are not stored, whatever their Content-Type",
      arguments: [
        #"{"error":"not found"}"#, "<?xml version='1.0'?><Error/>", "<!doctype html><p>",
        "%PDF-1.4",
      ], ["image/png", "application/octet-stream", "text/html", ""])
    func noImage(text: String, label: String) async throws {
      try await Served.run { _ in
        ServedResponse(fields: label.isEmpty ? [] : [("Content-Type", label)], text: text)
      } _: { served in
        let source = try served.imageSource()
        let url = served.server.url("/image")
        let loaded = await remoteError { _ = try await source.loadImageData(from: url) }
        let refreshed = await remoteError { _ = try await source.refresh(url) }
        for error in [loaded, refreshed] {
          #expect(error?.kind == .invalidData)
          #expect(error.map { "\($0)" }?.contains(", which is no image") == true)
        }
        #expect(try await source.prefetch([url]).failures.count == 1)
        #expect(try source.images.statistics().imageCount == 0)
      }
    }

    @Test(
      "an image is stored with the type of its bytes, whatever its Content-Type",
      arguments: ["text/plain", "image/png", "application/json", ""], [200, 304])
    func label(label: String, status: Int) async throws {
      let fields = label.isEmpty ? [] : [("Content-Type", label)]
      try await Served.run { request in
        request.fields["if-none-match"] == nil
          ? ServedResponse(fields: fields + [("ETag", "\"one\"")], text: "<svg/>")
          : ServedResponse(status, fields: fields, text: "<svg/>")
      } _: { served in
        let source = try served.imageSource()
        let url = served.server.url("/image")
        for _ in 0..<2 {
          #expect(try await source.refresh(url) == Data("<svg/>".utf8))
          let metadata = try source.images.description(of: url.absoluteString)?.metadata
          #expect(metadata?.contentType == "image/svg+xml")
        }
      }
    }

    @Test("a cancelled load delivers no image, even if it is in the store")
    func cancelledLoad() async throws {
      try await Served.run { _ in
        ServedResponse(text: "an image")
      } _: { served in
        let source = try served.imageSource()
        let url = served.server.url("/image")
        _ = try await source.loadImageData(from: url)
        let load = Task {
          while !Task.isCancelled { await Task.yield() }
          return try await source.loadImageData(from: url)
        }
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
      }
    }

    @Test("an image is dated by the clock of its source, when it is fetched or revalidated")
    func clock() async throws {
      try await Served.run { request in
        request.fields["if-none-match"] == nil
          ? ServedResponse(fields: [("ETag", "\"one\"")], text: "image") : ServedResponse(304)
      } _: { served in
        let images = try ImageStore.open(at: served.directory.path)
        let source = ImageSource(images, client: served.client, currentDate: { served.now })
        let url = served.server.url("/image")
        for _ in 0..<2 {
          _ = try await source.refresh(url)
          let metadata = try images.description(of: url.absoluteString)?.metadata
          let seconds = served.now.timeIntervalSinceReferenceDate
          #expect(metadata?.fetchedReferenceSeconds == seconds)
          served.wait(days: 1)
        }
      }
    }

    @Test(
      "an image that cannot be fetched throws the matching error, and is not stored",
      .course(.essential, "Load Feed Image Data From Remote Use Case", "Invalid data course"),
      .course(.essential, "Load Feed Image Data From Remote Use Case", "No connectivity course"),
      .course(.news, "Load News Feed Image Data From Remote Use Case", "Invalid data course"),
      .course(.news, "Load News Feed Image Data From Remote Use Case", "No connectivity course"))
    func errors() async throws {
      try await Served.run { served in
        let source = try served.imageSource()
        let images = source.images
        let url = served.server.url("/image")
        for answer in [ServedResponse(201, text: "x"), ServedResponse(404), ServedResponse()] {
          served.answer { _ in answer }
          let error = await remoteError { _ = try await source.loadImageData(from: url) }
          #expect(error?.kind == .invalidData)
        }
        served.answer { _ in
          ServedResponse(framing: .length(100), steps: [.bytes([1, 2, 3]), .drop])
        }
        let dropped = await remoteError { _ = try await source.loadImageData(from: url) }
        #expect(dropped?.kind == .connectivity)
        await served.server.stop()
        let stopped = await remoteError { _ = try await source.loadImageData(from: url) }
        #expect(stopped?.kind == .connectivity)
        #expect(try images.contains(url) == false)
      }
    }
  }
#endif
