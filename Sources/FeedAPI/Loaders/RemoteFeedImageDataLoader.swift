public import FeedFeature
public import FeedSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads the data of images from a service. It requires status 200 and at least one byte ("Load
/// Feed Image Data From Remote" of the apps).
public struct RemoteFeedImageDataLoader: FeedImageDataLoader {
  private let client: any FeedHTTPClient
  private let limits: BodyLimits

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - client: fetches the images.
  ///   - limits: the maximum length of an image; 64 MiB by default.
  public init(client: any FeedHTTPClient, limits: BodyLimits = .resource) {
    self.client = client
    self.limits = limits
  }

  /// The data of the image at this URL.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` if the task was cancelled.
  @concurrent
  public func loadImageData(from url: URL) async throws -> Data {
    // Without validators there is always content.
    try await loadImageData(from: url, ifChangedSince: ResponseValidators()).content ?? Data()
  }

  /// The data, unless the image still matches the validators.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` if the task was cancelled.
  @concurrent
  public func loadImageData(
    from url: URL, ifChangedSince validators: ResponseValidators
  ) async throws -> RemoteAnswer<Data> {
    try await RemoteResource(url, client: client, limits: limits)
      .data(ifChangedSince: validators)
  }
}

extension RemoteResource {
  /// The whole content, which must have at least one byte.
  package func data(
    ifChangedSince validators: ResponseValidators = ResponseValidators()
  ) async throws -> RemoteAnswer<Data> {
    var data = Data()
    return try await stream(ifChangedSince: validators) { piece in
      data.append(contentsOf: piece)
    } finish: { _ in
      guard !data.isEmpty else { throw RemoteError.Cause.emptyBody }
      return data
    }
  }
}
