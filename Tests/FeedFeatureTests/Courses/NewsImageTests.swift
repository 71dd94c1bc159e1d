import CourseSupport
import FeedFeature
import Foundation
import Testing

@Suite("EssentialNews: the data of images")
struct NewsImageTests {
  private let url = Samples.url("image")
  private let image = Data("image".utf8)

  @Test(
    "EssentialNews: a cached image is delivered",
    .course(.news, "Load Articles Feed Image Data From Cache Use Case", "Primary course"))
  func loadsCachedImage() async throws {
    let store = InMemoryImageDataStore([url: image])
    #expect(try await LocalFeedImageDataLoader(store: store).loadImageData(from: url) == image)
  }

  @Test(
    "EssentialNews: a load that is cancelled delivers neither image nor error of the cache",
    .course(.news, "Load Articles Feed Image Data From Cache Use Case", "Cancel course"),
    arguments: Samples.imageRetrievals)
  func cancelled(outcome: Result<Data?, Failure>) async {
    let reached = Door()
    let store = ImageStoreStub(retrieve: { _ in
      reached.open()
      try? await Door().pass()
      return try outcome.get()
    })
    let loader = LocalFeedImageDataLoader(store: store)
    let load = Task { try await loader.loadImageData(from: url) }
    try? await reached.pass()
    load.cancel()
    await #expect(throws: CancellationError.self) { try await load.value }
  }

  @Test(
    "EssentialNews: a failure of the store is a failed load, with the store's error",
    .course(.news, "Load Articles Feed Image Data From Cache Use Case", "Retrieval error course"))
  func imageRetrievalError() async {
    let store = ImageStoreStub(retrieve: { _ in throw Failure.retrieval })
    await #expect {
      try await LocalFeedImageDataLoader(store: store).loadImageData(from: url)
    } throws: { error in
      guard case LocalFeedImageDataLoader.LoadError.failed(let cause) = error else { return false }
      return cause as? Failure == .retrieval
    }
  }

  @Test(
    "EssentialNews: an image that is not cached is not found",
    .course(.news, "Load Articles Feed Image Data From Cache Use Case", "Empty cache course"))
  func imageNotFound() async {
    let store = InMemoryImageDataStore([url: image])
    await #expect {
      try await LocalFeedImageDataLoader(store: store).loadImageData(from: Samples.url("other"))
    } throws: { error in
      guard case LocalFeedImageDataLoader.LoadError.notFound = error else { return false }
      return true
    }
  }

  @Test(
    "EssentialNews: a saved image is in the store",
    .course(.news, "Cache Feed Image Data Use Case", "Primary course"))
  func savesImage() async throws {
    let store = InMemoryImageDataStore()
    try await LocalFeedImageDataLoader(store: store).save(image, for: url)
    #expect(await store.retrieve(dataForURL: url) == image)
  }

  @Test(
    "EssentialNews: a failure of the store is a failed save, with the store's error",
    .course(.news, "Cache Feed Image Data Use Case", "Saving error course"))
  func imageSavingError() async {
    let store = ImageStoreStub(insert: { _, _ in throw Failure.insertion })
    await #expect {
      try await LocalFeedImageDataLoader(store: store).save(image, for: url)
    } throws: { error in
      guard case LocalFeedImageDataLoader.SaveError.failed(let cause) = error else { return false }
      return cause as? Failure == .insertion
    }
  }
}
