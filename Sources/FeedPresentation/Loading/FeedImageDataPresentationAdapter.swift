public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads the data of one image on request, such as when its cell becomes visible, and shows the
/// result in a view.
///
/// A cancelled load shows neither data nor an error (Essential App and EssentialNews, "Cancel
/// course"). A retry is another load.
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
  ///   - url: the URL of the image.
  ///   - loader: loads its data.
  ///   - view: shows the data; the adapter retains the view.
  ///   - failures: the messages for errors.
  public init(
    url: URL, loader: some FeedImageDataLoader, view: View, failures: FailureTexts
  ) {
    self.url = url
    self.loader = loader
    self.view = view
    self.failures = failures
  }

  /// Starts or retries a load. While a load is in progress, this does nothing.
  ///
  /// - Returns: the load in progress.
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

  /// Cancels the load in progress, such as when the cell is no longer visible.
  public func cancel() { load.cancel() }
}

/// The view model of an image's data.
public enum FeedImageDataViewModel: Sendable, Hashable {
  /// Not requested yet, or cancelled.
  case waiting
  /// It is being loaded.
  case loading
  /// The loaded data.
  case loaded(Data)
  /// Loading failed for this reason. It may be retried with a button of this title.
  case failed(message: String, retry: String)

  /// The image's data, once loaded.
  public var data: Data? {
    if case .loaded(let data) = self { data } else { nil }
  }

  /// Whether it is being loaded.
  public var isLoading: Bool { self == .loading }

  /// Whether a retry is offered.
  public var canRetry: Bool {
    if case .failed = self { true } else { false }
  }
}
