import CourseSupport
import FeedFeature
import FeedPresentation
import Foundation
import Testing

@MainActor
@Suite("The data of an image")
struct ImageDataTests {
  private let data = Data("an image".utf8)
  private let service = ImageService()
  private let view = ViewSpy<FeedImageDataViewModel>()

  private func makeAdapter(
    loader: some FeedImageDataLoader
  ) -> FeedImageDataPresentationAdapter<Data, ViewSpy<FeedImageDataViewModel>> {
    FeedImageDataPresentationAdapter(
      url: Samples.url("image1"), loader: loader, view: view, failures: failures)
  }

  private func failed(_ message: String) -> FeedImageDataViewModel {
    .failed(message: message, retry: "Try again")
  }

  @Test(
    "an image that is loaded is shown",
    .course(.essential, "Load Feed Image Data From Remote Use Case", "Primary course"),
    .course(.news, "Load News Feed Image Data From Remote Use Case", "Primary course"))
  func loads() async {
    let adapter = makeAdapter(loader: service)
    service.pending.end(with: .success(data))
    await adapter.loadImageData().value
    #expect(view.messages == [.resource(.loading), .resource(.loaded(data))])
  }

  @Test(
    "an image that could not be loaded offers a retry, which shows it",
    .course(.essential, "Load Feed Image Data From Remote Use Case", "No connectivity course"),
    .course(.essential, "Load Feed Image Data From Remote Use Case", "Invalid data course"),
    .course(.news, "Load News Feed Image Data From Remote Use Case", "No connectivity course"),
    .course(.news, "Load News Feed Image Data From Remote Use Case", "Invalid data course"),
    arguments: ServiceError.allCases)
  func retries(error: ServiceError) async {
    let adapter = makeAdapter(loader: service)
    service.pending.end(with: .failure(error))
    await adapter.loadImageData().value
    let failed = self.failed(error.message)
    #expect(view.messages == [.resource(.loading), .resource(failed)])
    #expect(failed.canRetry)

    service.pending.end(with: .success(data))
    await adapter.loadImageData().value
    #expect(view.messages.suffix(2) == [.resource(.loading), .resource(.loaded(data))])
  }

  @Test(
    "a cancelled image shows neither data nor an error",
    .course(.essential, "Load Feed Image Data From Remote Use Case", "Cancel course"),
    .course(.news, "Load News Feed Image Data From Remote Use Case", "Cancel course"),
    arguments: [Result<Data, ServiceError>.success(Data("late".utf8)), .failure(.connectivity)])
  func cancels(result: Result<Data, ServiceError>) async {
    let adapter = makeAdapter(loader: service)
    let load = adapter.loadImageData()
    adapter.cancel()
    service.pending.end(with: result.mapError { $0 })
    await load.value
    #expect(view.messages == [.resource(.loading), .resource(.waiting)])
  }

  @Test("an image that is being loaded is not requested twice")
  func ignoresSecond() async {
    let adapter = makeAdapter(loader: service)
    let load = adapter.loadImageData()
    adapter.loadImageData()
    service.pending.end(with: .success(data))
    await load.value
    #expect(service.pending.callCount == 1)
    #expect(view.messages == [.resource(.loading), .resource(.loaded(data))])
  }

  @Test(
    "a cached image is shown, and a missing one is reported",
    .course(.essential, "Load Feed Image Data From Cache Use Case", "Primary course"),
    .course(.essential, "Load Feed Image Data From Cache Use Case", "Empty cache course"),
    .course(.news, "Load Articles Feed Image Data From Cache Use Case", "Primary course"),
    .course(.news, "Load Articles Feed Image Data From Cache Use Case", "Empty cache course"))
  func cached() async throws {
    let cache = LocalFeedImageDataLoader(store: InMemoryImageDataStore())
    let adapter = makeAdapter(loader: cache)
    await adapter.loadImageData().value
    #expect(
      view.messages == [.resource(.loading), .resource(failed("This couldn't be found"))])

    try await cache.save(data, for: Samples.url("image1"))
    await adapter.loadImageData().value
    #expect(view.messages.last == .resource(.loaded(data)))
  }

  @Test("data that is not an image offers a retry, which shows the image that then arrives")
  func undecodable() async {
    let view = ViewSpy<LoadedImageViewModel<String>>()
    let adapter = FeedImageDataPresentationAdapter(
      url: Samples.url("image1"), loader: service, view: view, failures: failures
    ) { data in
      guard let text = String(data: data, encoding: .utf8) else { throw LoadFailure.invalidData }
      return text
    }
    service.pending.end(with: .success(Data([0xFF])))
    await adapter.loadImageData().value
    #expect(view.messages.first == .resource(.loading))
    guard case .resource(let shown) = view.messages.last else {
      Issue.record("nothing was shown")
      return
    }
    #expect(shown.canRetry && shown.image == nil)
    service.pending.end(with: .success(data))
    await adapter.loadImageData().value
    #expect(view.messages.last == .resource(.loaded("an image")))
  }

  @Test("a view model has the data and the permitted actions")
  func viewModel() {
    #expect(FeedImageDataViewModel.loaded(data).data == data)
    #expect(FeedImageDataViewModel.loading.isLoading)
    for state in [FeedImageDataViewModel.waiting, .loading, failed("")] {
      #expect(state.data == nil)
    }
    for state in [FeedImageDataViewModel.waiting, .loading, .loaded(data)] {
      #expect(!state.canRetry)
    }
  }
}
