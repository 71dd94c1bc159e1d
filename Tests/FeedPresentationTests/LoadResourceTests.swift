import FeedFeature
import FeedPresentation
import Testing

@MainActor
@Suite("Loading a resource")
struct LoadResourceTests {
  private struct MappingError: Error {}

  private let loader = PendingLoader<String>()
  private let view = ViewSpy<String>()

  private func makeAdapter(
    mapper: @escaping (String) throws -> String = { $0.uppercased() }
  ) -> LoadResourcePresentationAdapter<String, ViewSpy<String>> {
    LoadResourcePresentationAdapter(
      presenter: LoadResourcePresenter(
        resourceView: view, loadingView: view, errorView: view, failures: failures, mapper: mapper),
      loader: { [loader] in try await loader.load() })
  }

  @Test("nothing is loaded or shown before a request")
  func silent() {
    let adapter = makeAdapter()
    #expect(view.messages.isEmpty)
    #expect(loader.callCount == 0)
    #expect(!adapter.isLoading)
  }

  @Test("a load clears the error and shows its start synchronously")
  func starts() async {
    let adapter = makeAdapter()
    let load = adapter.loadResource()
    #expect(view.messages == [.error(nil), .loading(true)])
    #expect(adapter.isLoading)
    loader.end(with: .success("resource"))
    await load.value
  }

  @Test("a resource is mapped and shown, then the load has ended")
  func delivers() async {
    let adapter = makeAdapter()
    loader.end(with: .success("resource"))
    await adapter.loadResource().value
    #expect(
      view.messages == [.error(nil), .loading(true), .resource("RESOURCE"), .loading(false)])
    #expect(!adapter.isLoading)
  }

  @Test(
    "an error is shown as its message, then the load has ended", arguments: ServiceError.allCases)
  func fails(error: ServiceError) async {
    let adapter = makeAdapter()
    loader.end(with: .failure(error))
    await adapter.loadResource().value
    #expect(
      view.messages == [.error(nil), .loading(true), .error(error.message), .loading(false)])
  }

  @Test("a resource that cannot be mapped is shown as an error")
  func mappingFails() async {
    let adapter = makeAdapter(mapper: { _ in throw MappingError() })
    loader.end(with: .success("resource"))
    await adapter.loadResource().value
    #expect(
      view.messages == [
        .error(nil), .loading(true), .error("Couldn't connect to server"), .loading(false),
      ])
  }

  @Test("a loader does not run on the main actor")
  func isolation() async {
    let view = ViewSpy<Bool>()
    let adapter = LoadResourcePresentationAdapter(
      presenter: LoadResourcePresenter(
        resourceView: view, loadingView: view, errorView: view, failures: failures),
      loader: { #isolation == nil })
    await adapter.loadResource().value
    #expect(view.messages.contains(.resource(true)))
  }

  @Test("a second load while one is in progress is ignored")
  func ignoresSecond() async {
    let adapter = makeAdapter()
    let first = adapter.loadResource()
    let second = adapter.loadResource()
    #expect(first == second)
    loader.end(with: .success("resource"))
    await first.value
    #expect(loader.callCount == 1)
    #expect(
      view.messages == [.error(nil), .loading(true), .resource("RESOURCE"), .loading(false)])
  }

  @Test("another load may start after the end of one")
  func loadsAgain() async {
    let adapter = makeAdapter()
    loader.end(with: .failure(ServiceError.connectivity))
    await adapter.loadResource().value
    loader.end(with: .success("resource"))
    await adapter.loadResource().value
    #expect(loader.callCount == 2)
    #expect(
      view.messages.suffix(4) == [
        .error(nil), .loading(true), .resource("RESOURCE"), .loading(false),
      ])
  }

  @Test(
    "a cancelled load shows neither resource nor error, even if its loader continues",
    arguments: [Result<String, ServiceError>.success("resource"), .failure(.connectivity)])
  func cancels(result: Result<String, ServiceError>) async {
    let adapter = makeAdapter()
    let load = adapter.loadResource()
    adapter.cancel()
    #expect(view.messages == [.error(nil), .loading(true), .loading(false)])
    loader.end(with: result.mapError { $0 })
    await load.value
    #expect(view.messages == [.error(nil), .loading(true), .loading(false)])
    #expect(!adapter.isLoading)
  }

  @Test("a load cancelled through its task shows neither resource nor error")
  func cancelsTask() async {
    let adapter = makeAdapter()
    let load = adapter.loadResource()
    load.cancel()
    loader.end(with: .success("resource"))
    await load.value
    #expect(view.messages == [.error(nil), .loading(true), .loading(false)])
    #expect(!adapter.isLoading)
  }

  @Test("a loader that cancels itself shows no error")
  func loaderCancelled() async {
    let adapter = makeAdapter()
    loader.end(with: .failure(CancellationError()))
    await adapter.loadResource().value
    #expect(view.messages == [.error(nil), .loading(true), .loading(false)])
  }

  @Test("after a cancelled load only the result of the next one is shown")
  func cancelsAndLoads() async {
    let adapter = makeAdapter()
    let old = adapter.loadResource()
    while loader.callCount == 0 { await Task.yield() }
    adapter.cancel()
    let new = adapter.loadResource()
    loader.end(with: .success("old"))
    await old.value
    #expect(adapter.isLoading)
    loader.end(with: .success("new"))
    await new.value
    #expect(
      view.messages == [
        .error(nil), .loading(true), .loading(false), .error(nil), .loading(true),
        .resource("NEW"), .loading(false),
      ])
  }

  @Test("a cancellation without a load shows nothing")
  func cancelsNothing() {
    makeAdapter().cancel()
    #expect(view.messages.isEmpty)
  }

  @Test("a released adapter cancels its load")
  func released() async {
    var adapter: LoadResourcePresentationAdapter? = makeAdapter()
    let load = adapter?.loadResource()
    adapter = nil
    #expect(load?.isCancelled == true)
    loader.end(with: .success("resource"))
    await load?.value
    #expect(view.messages == [.error(nil), .loading(true)])
  }
}
