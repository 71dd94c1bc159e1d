public import FeedAPI
public import FeedFeature
public import FeedStorage
import Threading

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An image store together with the services that its images come from. An image is delivered from
/// the store, else fetched and stored (Essential App, "Load Feed Image Data From Cache" and "From
/// Remote Use Case").
///
/// Concurrent loads of one image share one request. A prefetch and a refresh make their own
/// requests; of concurrent requests, the answer to the one that began last is stored. An image is
/// stored completely or not at all, together with its validators, so that ``refresh(_:)`` transfers
/// only changes.
public final class ImageSource: FeedImageDataLoader {
  /// The store of the images.
  public let images: ImageStore

  private let client: any FeedHTTPClient
  private let currentDate: @Sendable () -> Date
  private let onFailure: @Sendable (any Error) -> Void
  private let requests = SingleFlight<URL, Data>()
  private let refreshes = SingleFlight<URL, Data>()
  private let order = RequestOrder<URL>()

  private typealias Place = RequestOrder<URL>.Place

  /// How long a fetched image waits for a shared store that is unavailable.
  private static let patience = Duration.seconds(3)

  /// Makes a source.
  ///
  /// - Parameters:
  ///   - images: the store of the images.
  ///   - client: fetches the images.
  ///   - currentDate: the clock for the images' dates.
  ///   - onFailure: receives an error of reading or storing an image. The image is delivered
  ///     anyway.
  public init(
    _ images: ImageStore, client: any FeedHTTPClient,
    currentDate: @escaping @Sendable () -> Date = { Date() },
    onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.images = images
    self.client = client
    self.currentDate = currentDate
    self.onFailure = onFailure
  }

  /// The image from the store, else from its service.
  ///
  /// - Throws: `RemoteError` if the store does not have the image, and it cannot be fetched or the
  ///   response is not an image; `CancellationError`.
  @concurrent
  public func loadImageData(from url: URL) async throws -> Data {
    if let data = await stored(url) {
      try Task.checkCancellation()
      return data
    }
    return try await requests.value(for: url) { [self] in
      let place = order.begin(url)
      let answer = try await fetch(url, ifChangedSince: ResponseValidators())
      let data = answer.content ?? Data()
      await keep(data, url, answer.metadata, place)
      return data
    }
  }

  private func stored(_ url: URL) async -> Data? {
    do {
      // A comparison with a shared store blocks its thread.
      guard images.isStale(url.absoluteString) else {
        return try images.retrieve(dataForURL: url)
      }
      return try await onWorkerThread { [images] in try images.retrieve(dataForURL: url) }
    } catch {
      onFailure(error)
      return nil
    }
  }

  /// The current image of the service; only a changed image is transferred.
  ///
  /// If the service forbids storing it (`no-store`, RFC 9111, section 5.2.2.5), the stored image is
  /// removed. Otherwise the store would still deliver it as the current image.
  ///
  /// - Throws: `RemoteError`; `CancellationError`. The stored image is then unchanged.
  public func refresh(_ url: URL) async throws -> Data {
    try await refreshes.value(for: url) { [self] in try await refreshed(url) }
  }

  @concurrent
  private func refreshed(_ url: URL) async throws -> Data {
    let place = order.begin(url)
    let stored = try? await onWorkerThread { [images] in
      try images.retrieve(url.absoluteString)
    }
    let metadata = stored?.description.metadata
    let validators = ResponseValidators(
      entityTag: metadata?.entityTag, lastModified: metadata?.lastModified)
    switch try await fetch(url, ifChangedSince: validators) {
    case .modified(let data, let metadata):
      await keep(data, url, metadata, place)
      return data
    case .notModified(var metadata):
      // The media type may be wrong, as for a new image.
      let type = stored.flatMap { ImageContent($0.bytes.span.bytes).mediaType }
      metadata.mediaType = type ?? metadata.mediaType
      await renew(url, of: stored?.description.checksum, metadata, place)
      return stored.map { Data($0.bytes) } ?? Data()
    }
  }

  /// Fetches and stores the images of these URLs that are not in the store, each once.
  ///
  /// - Parameters:
  ///   - urls: the URLs of the images.
  ///   - maximumInFlight: the maximum number of concurrent requests.
  ///   - progress: receives a report after each image.
  /// - Throws: `CancellationError`. Images that were stored before stay.
  @discardableResult
  public func prefetch(
    _ urls: some Sequence<URL>, maximumInFlight: Int = 8,
    progress: (PrefetchReport) -> Void = { _ in }
  ) async throws -> PrefetchReport {
    let prefetcher = FeedImageDataPrefetcher(
      loader: FetchedImages(source: self), cache: KeptByLoading(),
      maximumInFlight: maximumInFlight,
      isCached: { [images] url in
        (try? await onWorkerThread { try images.contains(url) }) == true
      })
    return try await prefetcher.prefetch(urls, progress: progress)
  }

  /// Fetches an image. The bytes decide whether the response is an image, not its status or media
  /// type. Otherwise the login page of a network, or the error page of a service, would be stored
  /// as the image. The media type decides only if the bytes are inconclusive.
  private func fetch(
    _ url: URL, ifChangedSince validators: ResponseValidators
  ) async throws -> RemoteAnswer<Data> {
    let resource = RemoteResource(
      FeedHTTPRequest(url), client: client, limits: BodyLimits(bytes: images.imageLimit),
      now: currentDate)
    let answer = try await resource.data(ifChangedSince: validators)
    guard let data = answer.content else { return answer }
    let found: String
    switch ImageContent(data.bytes) {
    case .image: return answer
    case .other(let name): found = name
    case .unknown:
      guard let type = answer.metadata.mediaType, type.hasPrefix("text/") else { return answer }
      found = type
    }
    throw RemoteError(
      resource: resource.name, .content("the service answered with \(found), which is no image"))
  }

  private func keep(
    _ data: Data, _ url: URL, _ metadata: ResponseMetadata, _ place: Place
  ) async {
    guard !Task.isCancelled else { return }
    do {
      if metadata.isNotToBeStored {
        try await remove(url, place)
      } else {
        try await store(data, url, metadata, place)
      }
    } catch {
      onFailure(error)
    }
  }

  /// Writes nothing if the store has no image for the URL.
  private func remove(_ url: URL, _ place: Place) async throws {
    try await onWorkerThread { [images] in
      try place.keep { () throws(StoreError) in
        // A shared store may have the image although there is no local copy.
        if images.isCopy ? true : try images.contains(url) {
          _ = try images.remove(url.absoluteString, patience: Self.patience)
        }
      }
    }
  }

  private func store(
    _ data: Data, _ url: URL, _ metadata: ResponseMetadata, _ place: Place
  ) async throws {
    let stored = metadata.stored
    try await onWorkerThread { [images] in
      try place.keep { () throws(StoreError) in
        try images.insert(
          data.bytes, for: url.absoluteString, stored, patience: Self.patience)
      }
    }
  }

  private func renew(
    _ url: URL, of checksum: UInt64?, _ metadata: ResponseMetadata, _ place: Place
  ) async {
    let stored = metadata.stored
    do {
      guard !metadata.isNotToBeStored else { return try await remove(url, place) }
      try await onWorkerThread { [images] in
        try place.keep { () throws(StoreError) in
          try images.renew(
            url.absoluteString, of: checksum, metadata: stored, patience: Self.patience)
        }
      }
    } catch {
      onFailure(error)
    }
  }

  /// Fetches and stores. If an image cannot be stored, it is not prefetched.
  fileprivate func fetchAndStore(_ url: URL) async throws -> Data {
    let place = order.begin(url)
    let answer = try await fetch(url, ifChangedSince: ResponseValidators())
    let data = answer.content ?? Data()
    try Task.checkCancellation()
    guard !answer.metadata.isNotToBeStored else {
      try await remove(url, place)
      throw RemoteError(
        resource: RemoteResource(url, client: client).name,
        .content("the service does not want this image to be kept"))
    }
    try await store(data, url, answer.metadata, place)
    return data
  }
}

private struct FetchedImages: FeedImageDataLoader {
  let source: ImageSource
  func loadImageData(from url: URL) async throws -> Data { try await source.fetchAndStore(url) }
}

/// The loader has stored the image with the service's metadata.
private struct KeptByLoading: FeedImageDataCache {
  func save(_ data: Data, for url: URL) {}
}

extension ResponseMetadata {
  /// The metadata that an image store keeps. It omits the expiry: offline, an old image is better
  /// than none.
  var stored: ImageMetadata {
    ImageMetadata(
      contentType: mediaType, entityTag: validators.entityTag,
      lastModified: validators.lastModified,
      fetchedReferenceSeconds: receivedAt.timeIntervalSinceReferenceDate)
  }
}
