import FeedFeature
import Foundation
import Testing

@Suite("Caching: each delivered feed or image is also saved", .timeLimit(.minutes(10)))
struct CachingTests {
  private let images = Samples.images
  private let data = Data("image".utf8)
  private let url = Samples.url("image")

  @Test("a feed and an image are in the cache when they are delivered, also from a composition")
  func savedBefore() async throws {
    let saved = Notes<[FeedImage]>()
    let loader = LoaderStub(images)
      .caching(
        in: CacheStub { feed in
          for _ in 0..<100 { await Task.yield() }
          saved.add(feed)
        }
      )
      .fallback(to: LoaderStub<FeedImage>(failing: .retrieval))
    for count in 1...3 {
      #expect(try await loader.load() == images)
      #expect(saved.all.count == count)
    }
    let local = LocalFeedImageDataLoader(store: InMemoryImageDataStore())
    let image = local.fallback(to: ImageLoaderStub(data).caching(in: local))
    #expect(try await image.loadImageData(from: url) == data)
    #expect(try await local.loadImageData(from: url) == data)
  }

  @Test("in the background, a feed is delivered before the cache has finished saving it")
  func notDelayed() async throws {
    let door = Door()
    let saved = Notes<[FeedImage]>()
    let loader = LoaderStub(images).caching(
      in: CacheStub { feed in
        try await door.pass()
        saved.add(feed)
      }, saving: .inBackground)
    #expect(try await loader.load() == images)
    #expect(saved.all.isEmpty)
    door.open()
    await loader.waitForSaves()
    #expect(saved.all == [images])
  }

  @Test("a failure of the cache does not affect the delivery, and is reported")
  func savingFails() async throws {
    let reported = Notes<Failure?>()
    let loader = LoaderStub(images).caching(in: CacheStub { _ in throw Failure.insertion }) {
      reported.add($0 as? Failure)
    }
    #expect(try await loader.load() == images)
    await loader.waitForSaves()
    #expect(reported.all == [.insertion])
  }

  @Test("a load that fails saves nothing")
  func loadingFails() async {
    let saved = Notes<[FeedImage]>()
    let loader = LoaderStub<FeedImage>(failing: .connectivity).caching(
      in: CacheStub { saved.add($0) })
    await #expect(throws: Failure.connectivity) { try await loader.load() }
    await loader.waitForSaves()
    #expect(saved.all.isEmpty)
  }

  @Test("feeds are saved one after another, in the order of the loads")
  func inOrder() async throws {
    let number = Notes<Int>()
    let saved = Notes<Int>()
    let remote = LoaderStub {
      number.add(0)
      return [number.all.count]
    }
    let loader = remote.caching(
      in: CacheStub { feed in
        for _ in 0..<(20 - feed[0]) { await Task.yield() }
        saved.add(feed[0])
      }, saving: .inBackground)
    for _ in 0..<20 { _ = try await loader.load() }
    await loader.waitForSaves()
    #expect(saved.all == Array(1...20))
  }

  @Test("a delivered feed is saved even if its caller is cancelled afterwards")
  func cancelledAfterwards() async throws {
    let door = Door()
    let saved = Notes<[FeedImage]>()
    let loader = LoaderStub(images).caching(
      in: CacheStub { feed in
        try await door.pass()
        saved.add(feed)
      }, saving: .inBackground)
    let load = Task { try await loader.load() }
    _ = try await load.value
    load.cancel()
    door.open()
    await loader.waitForSaves()
    #expect(saved.all == [images])
  }

  @Test("in the background, an image is delivered before the cache has finished saving it")
  func image() async throws {
    let door = Door()
    let saved = Notes<Data>()
    let store = ImageStoreStub(insert: { data, _ in
      try await door.pass()
      saved.add(data)
    })
    let loader = ImageLoaderStub(data).caching(
      in: LocalFeedImageDataLoader(store: store), saving: .inBackground)
    #expect(try await loader.loadImageData(from: url) == data)
    #expect(saved.all.isEmpty)
    door.open()
    await loader.waitForSaves()
    #expect(saved.all == [data])
  }

  @Test("an image that cannot be loaded is not saved; one that cannot be saved is delivered")
  func imageFailures() async throws {
    let reported = Notes<String>()
    let store = ImageStoreStub(insert: { _, _ in throw Failure.insertion })
    let cache = LocalFeedImageDataLoader(store: store)
    let failing = ImageLoaderStub(failing: .connectivity).caching(in: cache) {
      reported.add("\($0)")
    }
    await #expect(throws: Failure.connectivity) { try await failing.loadImageData(from: url) }
    await failing.waitForSaves()
    #expect(reported.all.isEmpty)
    let loader = ImageLoaderStub(data).caching(in: cache) { reported.add("\($0)") }
    #expect(try await loader.loadImageData(from: url) == data)
    await loader.waitForSaves()
    #expect(reported.all.count == 1)
  }

  @Test("cache, else service, else error: an image is fetched once and then read offline")
  func composed() async throws {
    let requests = Notes<URL>()
    let local = LocalFeedImageDataLoader(store: InMemoryImageDataStore())
    let remote = ImageLoaderStub { [data] url in
      requests.add(url)
      return data
    }.caching(in: local)
    let loader = local.fallback(to: remote)
    for _ in 0..<3 {
      #expect(try await loader.loadImageData(from: url) == data)
      await remote.waitForSaves()
    }
    #expect(requests.all == [url])
  }
}
