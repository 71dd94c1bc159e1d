import FeedFeature
import Foundation
import Testing

@Suite("Fallback: one loader, and another when it fails", .timeLimit(.minutes(10)))
struct FallbackTests {
  private let images = Samples.images
  private let data = Data("image".utf8)
  private let url = Samples.url("image")

  @Test("while the primary loader delivers, the fallback is not asked")
  func primary() async throws {
    let asked = Notes<String>()
    let fallback = LoaderStub<FeedImage> {
      asked.add("fallback")
      return []
    }
    #expect(try await LoaderStub(images).fallback(to: fallback).load() == images)
    #expect(asked.all.isEmpty)
  }

  @Test("an empty feed of the primary loader is a feed")
  func emptyPrimary() async throws {
    let loader = LoaderStub<FeedImage>([]).fallback(to: LoaderStub(images))
    #expect(try await loader.load() == [])
  }

  @Test("if the primary loader fails, the feed is the fallback's, and the failure is told")
  func fallback() async throws {
    let told = Notes<String>()
    let loader = LoaderStub(failing: .invalidData).fallback(to: LoaderStub(images)) {
      told.add("\($0)")
    }
    #expect(try await loader.load() == images)
    #expect(told.all == ["primary(invalid data)"])
  }

  @Test("if both fail, the error is the primary loader's, and both are told")
  func both() async {
    let told = Notes<String>()
    let fallback = LoaderStub<FeedImage>(failing: .retrieval)
    let loader = LoaderStub(failing: .connectivity).fallback(to: fallback) { told.add("\($0)") }
    await #expect(throws: Failure.connectivity) { try await loader.load() }
    #expect(told.all == ["primary(connectivity)", "fallback(retrieval)"])
  }

  @Test("a fallback without items is an error, or an empty feed where that is wanted")
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
    let asked = Notes<String>()
    let remote = LoaderStub<FeedImage> {
      reached.open()
      try? await Door().pass()
      throw Failure.connectivity
    }
    let local = LoaderStub<FeedImage> {
      asked.add("fallback")
      return []
    }
    let loader = remote.fallback(to: local)
    let load = Task { try await loader.load() }
    try? await reached.pass()
    load.cancel()
    await #expect(throws: CancellationError.self) { try await load.value }
    #expect(asked.all.isEmpty)
  }

  @Test("an image is that of the primary loader, else that of the fallback")
  func image() async throws {
    let cached = ImageLoaderStub(data)
    let other = ImageLoaderStub(Data("other".utf8))
    #expect(try await cached.fallback(to: other).loadImageData(from: url) == data)
    let missing = ImageLoaderStub(failing: .retrieval)
    #expect(try await missing.fallback(to: cached).loadImageData(from: url) == data)
  }

  @Test("if no loader has an image, the error is the last one's, and both are told")
  func noImage() async {
    let told = Notes<String>()
    let remote = ImageLoaderStub(failing: .connectivity)
    let loader = ImageLoaderStub(failing: .retrieval).fallback(to: remote) { told.add("\($0)") }
    await #expect(throws: Failure.connectivity) { try await loader.loadImageData(from: url) }
    #expect(told.all == ["primary(retrieval)", "fallback(connectivity)"])
  }

  @Test("an image load that is cancelled does not fall back")
  func cancelledImage() async {
    let reached = Door()
    let asked = Notes<URL>()
    let local = ImageLoaderStub { _ in
      reached.open()
      try? await Door().pass()
      throw Failure.retrieval
    }
    let remote = ImageLoaderStub { url in
      asked.add(url)
      return Data()
    }
    let loader = local.fallback(to: remote)
    let load = Task { try await loader.loadImageData(from: url) }
    try? await reached.pass()
    load.cancel()
    await #expect(throws: CancellationError.self) { try await load.value }
    #expect(asked.all.isEmpty)
  }
}
