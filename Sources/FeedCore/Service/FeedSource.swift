public import FeedAPI
public import FeedFeature
public import FeedPayloads
public import FeedStorage
import Threading

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A feed of a database together with the service that it comes from: the latest feed where there
/// is connectivity, else the cached one as long as its policy calls it valid.
///
/// A body goes into the database as it arrives, so a feed of any size is loaded in the memory of
/// an ingest, and readers see it whole or not at all. The service is asked only for what has
/// changed. However many tasks load at once, there is one request.
///
/// What is kept, and for how long, is for the policy to say, also where the service says otherwise:
/// this is no cache of HTTP, and a feed that came with `no-store` is kept like any other.
public final class FeedSource: Sendable {
  /// The feed.
  public let name: FeedName
  /// Where it comes from.
  public let url: URL
  /// Where it is kept.
  public let database: FeedDatabase

  private let schema: PayloadSchema?
  private let givenPolicy: CachePolicy?
  let resource: RemoteResource
  private let currentDate: @Sendable () -> Date
  private let onProgress: @Sendable (IngestProgress) -> Void
  private let requests = RequestCoalescer<FeedName, FeedDelivery>()

  /// Makes a source; nothing is loaded yet.
  ///
  /// - Parameters:
  ///   - name: the feed, which need not exist.
  ///   - url: where it comes from.
  ///   - database: where it is kept.
  ///   - schema: the contract of the payload; nil for that of the cached feed, or where there is
  ///     none to find it out. What follows another one is invalid data.
  ///   - policy: what the cached feed is worth, and how a payload is read and saved; by default that
  ///     of the app that the payload comes from, which the cached feed tells where there is no
  ///     schema.
  ///   - client: what fetches it.
  ///   - limits: how long a body may be.
  ///   - currentDate: the clock.
  ///   - onProgress: learns how much of a body has come, on a thread of the ingest's own.
  public init(
    _ name: FeedName, from url: URL, in database: FeedDatabase, schema: PayloadSchema? = nil,
    policy: CachePolicy? = nil, client: any HTTPClient, limits: BodyLimits = .stream,
    currentDate: @escaping @Sendable () -> Date = { Date() },
    onProgress: @escaping @Sendable (IngestProgress) -> Void = { _ in }
  ) {
    self.name = name
    self.url = url
    self.database = database
    self.schema = schema
    givenPolicy = policy
    self.currentDate = currentDate
    self.onProgress = onProgress
    var resource = RemoteResource(
      HTTPRequest(url), client: client, limits: limits, now: currentDate)
    resource.unpacksFiles = true
    self.resource = resource
  }

  /// What the cached feed is worth, and how a new one is saved.
  ///
  /// Where neither a policy nor a schema was given, it is that of the app that the cached feed's
  /// kind comes from; `essential` as long as there is none, or it cannot be read.
  public var policy: CachePolicy { policy(of: try? database.feed(named: name)) }

  private func policy(of cached: @autoclosure () -> FeedDescription?) -> CachePolicy {
    if let policy = givenPolicy ?? schema?.policy { return policy }
    return cached().map { .preset(ofKind: $0.kind) } ?? .essential
  }

  /// Loads the feed from its service into the database.
  ///
  /// - Returns: the feed as it lies there now.
  /// - Throws: `RemoteError` where the service cannot be reached or its data is invalid;
  ///   `StoreError`; `CancellationError`. The cached feed is untouched then.
  public func refresh() async throws -> FeedDelivery {
    try await requests.value(for: name) { [self] in try await fetch() }
  }

  /// The latest feed where there is connectivity, else the cached one.
  ///
  /// - Throws: `RemoteError` where the service failed and there is no cached feed, or it has no
  ///   items, or has expired (all documents, narrative "As an offline customer");
  ///   `StoreError`; `CancellationError`.
  public func load() async throws -> FeedDelivery {
    do {
      return try await refresh()
    } catch let error as RemoteError {
      guard let feed = try? cachedFeed() else { throw error }
      return FeedDelivery(feed: feed, origin: .cache(error))
    }
  }

  /// The cached feed; nil where there is none that is valid and has items.
  ///
  /// An expired one is deleted where the policy says so.
  public func cachedFeed() throws(StoreError) -> FeedDescription? {
    let cached = try feedThatBinds()
    let policy = policy(of: cached)
    let feed = try database.validFeed(named: name, policy: policy, at: currentDate())
    return feed.flatMap { $0.recordCount > 0 ? $0 : nil }
  }

  /// Returns when no load is under way any more. One that was cancelled goes on for as long as it
  /// takes to remove what it has written, which a process that ends before leaves to a later one.
  public func waitUntilIdle() async { await requests.waitUntilIdle() }

  /// - Parameter onlyIfChanged: whether what is cached may be answered to be current.
  private func fetch(onlyIfChanged: Bool = true) async throws -> FeedDelivery {
    let cached = try feedThatBinds()
    let kept = onlyIfChanged && isWanted(cached) ? cached?.validators : nil
    let options = try options(replacing: cached)
    let ingest = database.bodyIngest(
      from: options.appends ? originOfAddition : origin, options: options, progress: onProgress)
    do {
      let answer = try await resource.stream(ifChangedSince: kept ?? ResponseValidators()) {
        try await ingest.feed($0)
      } finish: { metadata in
        let seconds = currentDate().timeIntervalSinceReferenceDate
        return try await ingest.finish(
          IngestDetails(referenceSeconds: seconds, validators: metadata.validators))
      }
      switch answer {
      case .modified(let report, _):
        return FeedDelivery(feed: report.feed, origin: .remote(report))
      case .notModified(let metadata):
        ingest.cancel()
        if let feed = try await renewed(cached, metadata) {
          return FeedDelivery(feed: feed, origin: .revalidated)
        }
        // Somebody has deleted meanwhile what the service was told of.
        return try await fetch(onlyIfChanged: false)
      }
    } catch {
      await ingest.abandon()
      throw described(error)
    }
  }

  /// The cached feed; nil where it cannot be read and that does no harm: a contract that was given
  /// binds the service as well, and a damaged feed is there to be replaced.
  ///
  /// - Throws: why it cannot be read for now, where it alone tells what may take its place and how.
  private func feedThatBinds() throws(StoreError) -> FeedDescription? {
    do throws(StoreError) {
      return try database.feed(named: name)
    } catch {
      guard schema == nil, error.code != .damaged else { return nil }
      throw error
    }
  }

  /// Whether the cached feed is what the service would be read as. What it has not changed is no
  /// answer to who wants it read by another contract, or by another version of that, nor to who wants
  /// nothing but what it has, where that was added to something.
  private func isWanted(_ cached: FeedDescription?) -> Bool {
    guard let cached else { return false }
    let isAddition = policy(of: cached).write == .append && cached.origin == originOfAddition
    guard isAddition || cached.origin == origin else { return false }
    guard let schema else { return true }
    let indexed = schema.fields.filter { $0.isIndexed && $0.id != cached.keyField }.map(\.id)
    return schema.name == cached.kind && schema.layout == cached.layout
      && Set(indexed).isSubset(of: cached.indexedFields)
  }

  /// The cached feed under the present time, or the one that has taken its place; nil where there is
  /// none any more.
  private func renewed(
    _ cached: FeedDescription?, _ metadata: ResponseMetadata
  ) async throws -> FeedDescription? {
    guard let cached else { return nil }
    let seconds = currentDate().timeIntervalSinceReferenceDate
    return try await onWorkerThread { [database, name] in
      do throws(StoreError) {
        return try database.renew(
          name, referenceSeconds: seconds, validators: metadata.validators,
          condition: .generation(cached.generation))
      } catch {
        // Who has replaced the feed meanwhile has a newer one.
        guard error.code == .conflict else { throw error }
        return try database.feed(named: name)
      }
    }
  }

  /// The kind of the cached feed binds its service: a service that has moved, or answers with
  /// something else for a while, is no reason to lose the feed.
  private func options(
    replacing cached: FeedDescription?
  ) throws(RemoteError) -> IngestOptions {
    var options = IngestOptions()
    options.feed = name
    options.schema = schema
    if let kind = cached?.kind, schema == nil {
      guard let bound = options.catalog.schema(named: kind) else {
        throw RemoteError(
          resource: resource.name,
          .content(
            "the cached feed holds \(kind), whose contract is not known here, so that nothing can"
              + " take its place; name the contract"))
      }
      options.catalog = PayloadCatalog([bound])
    }
    // What takes the cached feed's place is looked up by the same fields.
    options.keepsIndexes = true
    let policy = policy(of: cached)
    options.appends = policy.write == .append
    options.dates = policy.dates
    options.waits = true
    return options
  }

  // A payload that the ingest refuses is the service's fault, and nobody else's: invalid data. So
  // is one that is sound and of another kind than the cached feed to which it is to be added.
  private func described(_ error: any Error) -> any Error {
    guard let error = error as? IngestError else { return error }
    if error.code == .cancelled, Task.isCancelled { return CancellationError() }
    if var payload = error.payload {
      payload.file = resource.name
      return RemoteError(resource: resource.name, .payload(payload))
    }
    guard let store = error.store else {
      return RemoteError(resource: resource.name, .content(error.message))
    }
    guard store.code == .invalidKind else { return store }
    return RemoteError(resource: resource.name, .content(store.message))
  }
}
