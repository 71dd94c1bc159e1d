import FeedFeature
import Foundation
import Synchronization
import Testing

@Suite("Prefetching: images before their use, a limited number at a time", .timeLimit(.minutes(10)))
struct PrefetchTests {
  private let urls = (0..<200).map { Samples.url("\($0)") }

  private static func data(_ url: URL) -> Data { Data(url.lastPathComponent.utf8) }

  @Test("each image is loaded once and is cached")
  func all() async throws {
    let store = InMemoryImageDataStore()
    let requests = Notes<URL>()
    let remote = ImageLoaderStub { url in
      requests.add(url)
      return Self.data(url)
    }
    let prefetcher = FeedImageDataPrefetcher(
      loader: remote, cache: LocalFeedImageDataLoader(store: store), maximumInFlight: 16)
    let report = try await prefetcher.prefetch(urls + urls.reversed())
    #expect(report.fetchedCount == 200)
    #expect(report.failures.isEmpty)
    #expect(requests.all.count == 200)
    for url in urls { #expect(await store.retrieve(dataForURL: url) == Self.data(url)) }
  }

  @Test("no more images than allowed are loaded or saved at once", arguments: [1, 3, 64])
  func bounded(maximum: Int) async throws {
    let flight = Mutex((now: 0, most: 0))
    let remote = ImageLoaderStub { url in
      flight.withLock { flight in
        flight.now += 1
        flight.most = max(flight.most, flight.now)
      }
      for _ in 0..<5 { await Task.yield() }
      return Self.data(url)
    }
    let store = ImageStoreStub(insert: { _, _ in
      for _ in 0..<5 { await Task.yield() }
      flight.withLock { $0.now -= 1 }
    })
    let prefetcher = FeedImageDataPrefetcher(
      loader: remote, cache: LocalFeedImageDataLoader(store: store), maximumInFlight: maximum)
    try await prefetcher.prefetch(urls)
    #expect(flight.withLock { $0.most } <= maximum)
    #expect(flight.withLock { $0.now } == 0)
  }

  @Test("a limit below one counts as one", arguments: [0, -1, Int.min])
  func atLeastOne(maximum: Int) async throws {
    let prefetcher = FeedImageDataPrefetcher(
      loader: ImageLoaderStub(Data([1])),
      cache: LocalFeedImageDataLoader(store: InMemoryImageDataStore()), maximumInFlight: maximum)
    #expect(prefetcher.maximumInFlight == 1)
    #expect(try await prefetcher.prefetch(urls).fetchedCount == 200)
  }

  @Test("an image that cannot be loaded or saved is reported, and the others are cached")
  func failures() async throws {
    let store = InMemoryImageDataStore()
    let cache = LocalFeedImageDataLoader(
      store: ImageStoreStub(insert: { data, url in
        if url.lastPathComponent == "8" { throw Failure.insertion }
        await store.insert(data, for: url)
      }))
    let remote = ImageLoaderStub { url in
      if url.lastPathComponent == "7" { throw Failure.connectivity }
      return Self.data(url)
    }
    let report = try await FeedImageDataPrefetcher(loader: remote, cache: cache).prefetch(urls)
    #expect(report.fetchedCount == 198)
    #expect(Set(report.failures.map(\.url)) == [Samples.url("7"), Samples.url("8")])
    #expect(report.failures.contains { $0.error as? Failure == .connectivity })
  }

  @Test("cached images are skipped, and the progress is reported after each image")
  func cached() async throws {
    let requests = Notes<URL>()
    let remote = ImageLoaderStub { url in
      requests.add(url)
      return Self.data(url)
    }
    let prefetcher = FeedImageDataPrefetcher(
      loader: remote, cache: LocalFeedImageDataLoader(store: InMemoryImageDataStore())
    ) { url in
      url.lastPathComponent.count == 1
    }
    var seen: [Int] = []
    let report = try await prefetcher.prefetch(urls) { report in
      seen.append(report.fetchedCount + report.cachedCount)
    }
    #expect(report.cachedCount == 10)
    #expect(requests.all.count == 190)
    #expect(seen == Array(1...200))
  }

  @Test("a cancelled prefetch throws, and saves nothing that arrives later")
  func cancelled() async {
    let reached = Door()
    let store = InMemoryImageDataStore()
    let remote = ImageLoaderStub { url in
      if url.lastPathComponent == "3" {
        reached.open()
        try? await Door().pass()
      }
      return Self.data(url)
    }
    let prefetcher = FeedImageDataPrefetcher(
      loader: remote, cache: LocalFeedImageDataLoader(store: store), maximumInFlight: 1)
    let urls = urls
    let prefetch = Task { try await prefetcher.prefetch(urls) }
    try? await reached.pass()
    prefetch.cancel()
    await #expect(throws: CancellationError.self) { try await prefetch.value }
    #expect(await store.retrieve(dataForURL: Samples.url("2")) != nil)
    #expect(await store.retrieve(dataForURL: Samples.url("3")) == nil)
    #expect(await store.retrieve(dataForURL: Samples.url("4")) == nil)
  }
}
