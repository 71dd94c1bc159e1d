import FeedFeature
import Foundation
import Testing

@Suite("Stale while revalidating: the cached value, then the fresh one", .timeLimit(.minutes(10)))
struct StaleWhileRevalidateTests {
  private let images = Samples.images
  private var old: [FeedImage] { Array(images.prefix(1)) }

  /// The elements of a sequence, and the error at its end.
  private func collect<Value>(
    _ sequence: StaleWhileRevalidate<Value>
  ) async -> (values: [StaleWhileRevalidate<Value>.Element], error: Failure?) {
    var values: [StaleWhileRevalidate<Value>.Element] = []
    do {
      for try await value in sequence { values.append(value) }
      return (values, nil)
    } catch {
      return (values, error as? Failure)
    }
  }

  @Test("the cached feed comes first, then the fresh one")
  func both() async {
    let result = await collect(
      StaleWhileRevalidate(cached: LoaderStub(old), fresh: LoaderStub(images)))
    #expect(result.values.map(\.value) == [old, images])
    #expect(result.values.map(\.isStale) == [true, false])
    #expect(result.error == nil)
  }

  @Test("the cached feed does not wait for the fresh one")
  func notDelayed() async throws {
    let door = Door()
    let remote = LoaderStub { [images] in
      try await door.pass()
      return images
    }
    var values = StaleWhileRevalidate(cached: LoaderStub(old), fresh: remote).makeAsyncIterator()
    let first = try await values.next()
    #expect(first?.value == old)
    door.open()
    let second = try await values.next()
    #expect(second?.value == images)
    let end = try await values.next()
    #expect(end == nil)
  }

  @Test("both are requested at once")
  func concurrent() async {
    let requested = Door()
    let cached = LoaderStub { [old] in
      try await requested.pass()
      return old
    }
    let fresh = LoaderStub { [images] in
      requested.open()
      return images
    }
    let result = await collect(StaleWhileRevalidate(cached: cached, fresh: fresh))
    #expect(result.values.map(\.value) == [old, images])
  }

  @Test("a cache that is empty or cannot be read is omitted")
  func noCache() async {
    for cached in [LoaderStub<FeedImage>([]), LoaderStub(failing: .retrieval)] {
      let result = await collect(StaleWhileRevalidate(cached: cached, fresh: LoaderStub(images)))
      #expect(result.values.map(\.isStale) == [false])
      #expect(result.values.map(\.value) == [images])
    }
  }

  @Test("if the fresh feed cannot be loaded, its error follows the cached feed")
  func freshFails() async {
    let fresh = LoaderStub<FeedImage>(failing: .connectivity)
    let result = await collect(StaleWhileRevalidate(cached: LoaderStub(old), fresh: fresh))
    #expect(result.values.map(\.value) == [old])
    #expect(result.error == .connectivity)
  }

  @Test("the end of the iteration or its cancellation cancels the request")
  func cancelled() async {
    let ended = Door()
    let reached = Door()
    let fresh = LoaderStub<FeedImage> {
      reached.open()
      defer { ended.open() }
      try await Door().pass()
      return []
    }
    let sequence = StaleWhileRevalidate(cached: LoaderStub(old), fresh: fresh)
    let iteration = Task { await collect(sequence) }
    try? await reached.pass()
    iteration.cancel()
    let result = await iteration.value
    #expect(!result.values.contains { !$0.isStale })
    #expect(result.error == nil)
    await #expect(throws: Never.self) { try await ended.pass() }
  }

  @Test("an image comes from the cache, then from its service")
  func image() async {
    let result = await collect(
      StaleWhileRevalidate(
        imageAt: Samples.url("image"), cached: ImageLoaderStub(Data([1])),
        fresh: ImageLoaderStub(Data([2]))))
    #expect(result.values.map(\.value) == [Data([1]), Data([2])])
  }
}
