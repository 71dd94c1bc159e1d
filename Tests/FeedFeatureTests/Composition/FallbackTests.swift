import FeedFeature
import Foundation
import Testing

@Suite("Fallback: one loader, and another when it fails", .timeLimit(.minutes(10)))
struct FallbackTests {
  private let images = Samples.images
  private let data = Data("image".utf8)
  private let url = Samples.url("image")

  @Test("the fallback is not used while the primary loader delivers")
  func primary() async throws {
    let requested = Notes<String>()
    let fallback = LoaderStub<FeedImage> {
      requested.add("fallback")
      return []
    }
    #expect(try await LoaderStub(images).fallback(to: fallback).load() == images)
    #expect(requested.all.isEmpty)
  }

  @Test("an empty feed of the primary loader is a feed")
  func emptyPrimary() async throws {
    let loader = LoaderStub<FeedImage>([]).fallback(to: LoaderStub(images))
    #expect(try await loader.load() == [])
  }

  @Test("if the primary loader fails, the fallback delivers the feed, and the failure is reported")
  func fallback() async throws {
    let reported = Notes<String>()
    let loader = LoaderStub(failing: .invalidData).fallback(to: LoaderStub(images)) {
      reported.add("\($0)")
    }
    #expect(try await loader.load() == images)
    #expect(reported.all == ["primary(invalid data)"])
  }

  @Test("if both fail, the error is the primary loader's, and both failures are reported")
  func both() async {
    let reported = Notes<String>()
    let fallback = LoaderStub<FeedImage>(failing: .retrieval)
    let loader = LoaderStub(failing: .connectivity).fallback(to: fallback) { reported.add("\($0)") }
    await #expect(throws: Failure.connectivity) { try await loader.load() }
    #expect(reported.all == ["primary(connectivity)", "fallback(retrieval)"])
  }

  @Test("a fallback without items is an error, or an empty feed on request")
  func emptyFallback() async throws {
    let remote = LoaderStub<FeedImage>(failing: .connectivity)
    let empty = LoaderStub<FeedImage>([])
    await #expect(throws: Failure.connectivity) { try await remote.fallback(to: empty).load() }
    let lenient = remote.fallback(to: empty, emptyFallback: .delivered)
    #expect(try await lenient.load() == [])
  }

  @Test("a load that is cancelled does not fall back")
  func cancelled() async {
    let reached = Door()
    let requested = Notes<String>()
    let remote = LoaderStub<FeedImage> {
      reached.open()
      try? await Door().pass()
      throw Failure.connectivity
    }
    let local = LoaderStub<FeedImage> {
      requested.add("fallback")
      return []
    }
    let loader = remote.fallback(to: local)
    let load = Task { try await loader.load() }
    try? await reached.pass()
    load.cancel()
    await #expect(throws: CancellationError.self) { try await load.value }
    #expect(requested.all.isEmpty)
  }

  @Test("an image comes from the primary loader, else from the fallback")
  func image() async throws {
    let cached = ImageLoaderStub(data)
    let other = ImageLoaderStub(Data("other".utf8))
    #expect(try await cached.fallback(to: other).loadImageData(from: url) == data)
    let missing = ImageLoaderStub(failing: .retrieval)
    #expect(try await missing.fallback(to: cached).loadImageData(from: url) == data)
  }

  @Test("if no loader has an image, the error is the last one's, and both failures are reported")
  func noImage() async {
    let reported = Notes<String>()
    let remote = ImageLoaderStub(failing: .connectivity)
    let loader = ImageLoaderStub(failing: .retrieval).fallback(to: remote) { reported.add("\($0)") }
    await #expect(throws: Failure.connectivity) { try await loader.loadImageData(from: url) }
    #expect(reported.all == ["primary(retrieval)", "fallback(connectivity)"])
  }

  @Test("an image load that is cancelled does not fall back")
  func cancelledImage() async {
    let reached = Door()
    let requested = Notes<URL>()
    let local = ImageLoaderStub { _ in
      reached.open()
      try? await Door().pass()
      throw Failure.retrieval
    }
    let remote = ImageLoaderStub { url in
      requested.add(url)
      return Data()
    }
    let loader = local.fallback(to: remote)
    let load = Task { try await loader.loadImageData(from: url) }
    try? await reached.pass()
    load.cancel()
    await #expect(throws: CancellationError.self) { try await load.value }
    #expect(requested.all.isEmpty)
  }
}
