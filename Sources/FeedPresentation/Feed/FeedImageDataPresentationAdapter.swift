public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads the data of one image when it is asked to, as when its cell becomes visible, and has a view
/// show what becomes of it.
///
/// A load that was given up shows neither data nor an error (Essential App and EssentialNews,
/// "Cancel course"). To try again is to load again.
@MainActor
public final class FeedImageDataPresentationAdapter<View: ResourceView>
where View.ViewModel == FeedImageDataViewModel {
  private let url: URL
  private let loader: any FeedImageDataLoader
  private let view: View
  private let failures: FailureTexts
  private let load = ResourceLoad<Data>()

  /// Makes an adapter.
  ///
  /// - Parameters:
  ///   - url: the image.
  ///   - loader: loads its data.
  ///   - view: shows it; the adapter holds the view.
  ///   - failures: what to tell the customer of an error.
  public init(
    url: URL, loader: some FeedImageDataLoader, view: View, failures: FailureTexts
  ) {
    self.url = url
    self.loader = loader
    self.view = view
    self.failures = failures
  }

  /// Begins to load, or to try again. While a load is under way this does nothing.
  ///
  /// - Returns: the load under way.
  @discardableResult
  public func loadImageData() -> Task<Void, Never> {
    load.start(loadData) { [view, failures] event in
      switch event {
      case .started:
        view.display(.loading)
      case .loaded(let data):
        view.display(.loaded(data))
      case .failed(let error):
        view.display(
          .failed(message: failures.message(for: error), retry: failures.text[.retry]))
      case .cancelled:
        view.display(.waiting)
      }
    }
  }

  private var loadData: @concurrent @Sendable () async throws -> Data {
    { [loader, url] in try await loader.loadImageData(from: url) }
  }

  /// Gives the load up, if one is under way, as when the cell is no longer visible.
  public func cancel() { load.cancel() }
}
