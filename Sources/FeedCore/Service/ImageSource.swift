public import FeedAPI
public import FeedFeature
public import FeedStorage
import Threading

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An image store together with the services that its images come from: an image is delivered
/// from the store, and fetched and kept where it is not there (Essential App, "Load Feed Image
/// Data From Cache" and "From Remote Use Case").
///
/// However many tasks load one image at once, there is one request; a prefetch and a refresh make
/// requests of their own. Where several are under way, the answer to the one that was begun last
/// stays. An image is kept whole or not at all, together with its validators, so that
/// ``refresh(_:)`` transfers only what has changed.
public final class ImageSource: FeedImageDataLoader {
  /// Where images are kept.
  public let images: ImageStore

  private let client: any HTTPClient
  private let currentDate: @Sendable () -> Date
  private let onFailure: @Sendable (any Error) -> Void
  private let requests = RequestCoalescer<URL, Data>()
  private let refreshes = RequestCoalescer<URL, Data>()
  private let order = RequestOrder<URL>()

  private typealias Place = RequestOrder<URL>.Place

  /// Makes a source.
  ///
  /// - Parameters:
  ///   - images: where images are kept.
  ///   - client: what fetches them.
  ///   - currentDate: the clock by which images are dated.
  ///   - onFailure: learns of what kept an image from being read or kept; it is delivered all
  ///     the same.
  public init(
    _ images: ImageStore, client: any HTTPClient,
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
  /// - Throws: `RemoteError` where it is not in the store and cannot be fetched, or what comes is
  ///   text; `CancellationError`.
  @concurrent
  public func loadImageData(from url: URL) async throws -> Data {
    if let data = stored(url) {
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

  private func stored(_ url: URL) -> Data? {
    do {
      return try images.retrieve(dataForURL: url)
    } catch {
      onFailure(error)
      return nil
    }
  }

  /// The image as its service has it now; only one that has changed is transferred.
  ///
  /// Where the service does not want it to be kept (`no-store`, RFC 9111, section 5.2.2.5), the one in
  /// the store leaves: it would be delivered from then on as if it were the image.
  ///
  /// - Throws: `RemoteError`; `CancellationError`. What is in the store stays then.
  public func refresh(_ url: URL) async throws -> Data {
    try await refreshes.value(for: url) { [self] in try await refreshed(url) }
  }

  @concurrent
  private func refreshed(_ url: URL) async throws -> Data {
    let place = order.begin(url)
    let stored = try? images.retrieve(url.absoluteString)
    let metadata = stored?.description.metadata
    let validators = ResponseValidators(
      entityTag: metadata?.entityTag, lastModified: metadata?.lastModified)
    switch try await fetch(url, ifChangedSince: validators) {
    case .modified(let data, let metadata):
      await keep(data, url, metadata, place)
      return data
    case .notModified(let metadata):
      await renew(url, of: stored?.description.checksum, metadata, place)
      return stored.map { Data($0.bytes) } ?? Data()
    }
  }

  /// Fetches and keeps the images of these URLs that are not in the store, each once.
  ///
  /// - Parameters:
  ///   - urls: where the images are.
  ///   - maximumInFlight: how many at once.
  ///   - progress: is told after each how far it has come.
  /// - Throws: `CancellationError`. What was kept until then stays, each image whole.
  @discardableResult
  public func prefetch(
    _ urls: some Sequence<URL>, maximumInFlight: Int = 8,
    progress: (PrefetchReport) -> Void = { _ in }
  ) async throws -> PrefetchReport {
    let prefetcher = FeedImageDataPrefetcher(
      loader: FetchedImages(source: self), cache: KeptByLoading(),
      maximumInFlight: maximumInFlight, isCached: { [images] in (try? images.contains($0)) == true }
    )
    return try await prefetcher.prefetch(urls, progress: progress)
  }

  /// What is said to be text is no image, whatever its status: a network that wants one to log in
  /// first answers so, and its page would stay in the image's place.
  private func fetch(
    _ url: URL, ifChangedSince validators: ResponseValidators
  ) async throws -> RemoteAnswer<Data> {
    let resource = RemoteResource(
      HTTPRequest(url), client: client, limits: BodyLimits(bytes: images.imageLimit),
      now: currentDate)
    let answer = try await resource.data(ifChangedSince: validators)
    if answer.content != nil, let type = answer.metadata.mediaType, type.hasPrefix("text/") {
      throw RemoteError(
        resource: resource.name,
        .content("the service answered with \(type), which is no image"))
    }
    return answer
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

  /// Nothing is written where there is no image that would be delivered.
  private func remove(_ url: URL, _ place: Place) async throws {
    try await onWorkerThread { [images] in
      try place.keep { () throws(StoreError) in
        if try images.contains(url) { try images.remove(url) }
      }
    }
  }

  private func store(
    _ data: Data, _ url: URL, _ metadata: ResponseMetadata, _ place: Place
  ) async throws {
    let stored = metadata.stored
    try await onWorkerThread { [images] in
      try place.keep { () throws(StoreError) in try images.insert(data, for: url, stored) }
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
          try images.renew(url.absoluteString, of: checksum, metadata: stored)
        }
      }
    } catch {
      onFailure(error)
    }
  }

  /// Fetches and keeps: an image that cannot be kept has not been prefetched.
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

/// The loader has kept it with what the service has said of it.
private struct KeptByLoading: FeedImageDataCache {
  func save(_ data: Data, for url: URL) {}
}

extension ResponseMetadata {
  /// What an image store keeps of it. Not its expiry: offline, an old image is better than none.
  var stored: ImageMetadata {
    ImageMetadata(
      contentType: mediaType, entityTag: validators.entityTag,
      lastModified: validators.lastModified,
      fetchedReferenceSeconds: receivedAt.timeIntervalSinceReferenceDate)
  }
}
