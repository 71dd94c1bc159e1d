public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads one image on request, such as when its cell becomes visible, and shows the result in a
/// view.
///
/// A cancelled load shows neither an image nor an error (Essential App and EssentialNews, "Cancel
/// course"). A retry is another load.
@MainActor
public final class FeedImageDataPresentationAdapter<Image: Sendable, View: ResourceView>
where View.ViewModel == LoadedImageViewModel<Image> {
  /// Converts the data to what the view shows. If it throws, such as for data that cannot be
  /// decoded, the load has failed.
  public typealias Mapper = (Data) throws -> Image

  private let url: URL
  private let loader: any FeedImageDataLoader
  private let view: View
  private let failures: FailureTexts
  private let mapper: Mapper
  private let load = ResourceLoad<Data>()

  /// Makes an adapter.
  ///
  /// - Parameters:
  ///   - url: the URL of the image.
  ///   - loader: loads its data.
  ///   - view: shows the image; the adapter retains the view.
  ///   - failures: the messages for errors.
  ///   - mapper: decodes the data, on the main actor. It throws a ``LoadFailure`` to choose the
  ///     message.
  public init(
    url: URL, loader: some FeedImageDataLoader, view: View, failures: FailureTexts,
    mapper: @escaping Mapper
  ) {
    self.url = url
    self.loader = loader
    self.view = view
    self.failures = failures
    self.mapper = mapper
  }

  /// Makes an adapter for a view that shows the data itself.
  public convenience init(
    url: URL, loader: some FeedImageDataLoader, view: View, failures: FailureTexts
  ) where Image == Data {
    self.init(url: url, loader: loader, view: view, failures: failures, mapper: { $0 })
  }

  /// Starts or retries a load. While a load is in progress, this does nothing.
  ///
  /// - Returns: the load in progress.
  @discardableResult
  public func loadImageData() -> Task<Void, Never> {
    load.start(loadData) { [view, failures, mapper] event in
      switch event {
      case .started: view.display(.loading)
      case .loaded(let data): view.display(Self.viewModel(data, mapper, failures))
      case .failed(let error): view.display(Self.viewModel(error, failures))
      case .cancelled: view.display(.waiting)
      }
    }
  }

  private static func viewModel(
    _ data: Data, _ mapper: Mapper, _ failures: FailureTexts
  ) -> LoadedImageViewModel<Image> {
    do {
      return .loaded(try mapper(data))
    } catch {
      return viewModel(error, failures)
    }
  }

  private static func viewModel(
    _ error: any Error, _ failures: FailureTexts
  ) -> LoadedImageViewModel<Image> {
    .failed(message: failures.message(for: error), retry: failures.text[.retry])
  }

  private var loadData: @concurrent @Sendable () async throws -> Data {
    { [loader, url] in try await loader.loadImageData(from: url) }
  }

  /// Cancels the load in progress, such as when the cell is no longer visible.
  public func cancel() { load.cancel() }
}

/// The view model of an image that is loaded, such as `UIImage`, or its data.
public enum LoadedImageViewModel<Image: Sendable>: Sendable {
  /// Not requested yet, or cancelled.
  case waiting
  /// It is being loaded.
  case loading
  /// The loaded image.
  case loaded(Image)
  /// Loading or decoding failed for this reason. It may be retried with a button of this title.
  case failed(message: String, retry: String)

  /// The image, once loaded.
  public var image: Image? {
    if case .loaded(let image) = self { image } else { nil }
  }

  /// Whether it is being loaded.
  public var isLoading: Bool {
    if case .loading = self { true } else { false }
  }

  /// Whether a retry is offered.
  public var canRetry: Bool {
    if case .failed = self { true } else { false }
  }
}

extension LoadedImageViewModel: Equatable where Image: Equatable {}
extension LoadedImageViewModel: Hashable where Image: Hashable {}

/// The view model of an image's data, for a view that decodes it itself.
public typealias FeedImageDataViewModel = LoadedImageViewModel<Data>

extension LoadedImageViewModel<Data> {
  /// The image's data, once loaded.
  public var data: Data? { image }
}
