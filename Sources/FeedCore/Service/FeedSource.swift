public import FeedAPI
public import FeedFeature
public import FeedSchema
public import FeedStorage
import Threading

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A feed of a database together with the service that it comes from. It delivers the latest feed
/// if the service can be reached, else the cached one while its policy considers it valid.
///
/// A body goes into the database as it arrives. A feed of any size is loaded in the memory of an
/// ingest, and readers see all of it or nothing. Requests are conditional. Concurrent loads share
/// one request.
///
/// The policy alone decides what is cached and for how long. This is not an HTTP cache: a feed with
/// `no-store` is cached like any other.
public final class FeedSource: Sendable {
  /// The name of the feed.
  public let name: FeedName
  /// The URL of the service.
  public let url: URL
  /// The database that holds the feed.
  public let database: FeedDatabase

  private let schema: PayloadSchema?
  private let givenPolicy: CachePolicy?
  let dates: PayloadParser.Dates
  let resource: RemoteResource
  let currentDate: @Sendable () -> Date
  let onProgress: @Sendable (IngestProgress) -> Void
  private let requests = SingleFlight<RequestedPages, FeedDelivery>()
  let furtherPages = FurtherPages()

  /// The pages of one request. Loads of different numbers of pages do not share it.
  private struct RequestedPages: Hashable, Sendable { let count: Int }

  /// Makes a source; nothing is loaded yet.
  ///
  /// - Parameters:
  ///   - name: the feed, which need not exist.
  ///   - url: the URL of the service.
  ///   - database: the database that holds the feed.
  ///   - schema: the contract of the payload. If nil, that of the cached feed applies; without a
  ///     cached feed it is detected. A payload of another contract is invalid data.
  ///   - policy: whether the cached feed is valid, and how a payload is saved. By default that of
  ///     the payload's app, which the cached feed determines if there is no schema.
  ///   - dates: how to treat a date that does not have its contract's form.
  ///   - client: fetches the feed.
  ///   - limits: the maximum length of a body; 4 GiB by default. A longer one is refused as soon as
  ///     its length is known, at the latest when it exceeds the limit.
  ///   - currentDate: the clock.
  ///   - onProgress: receives the progress of a body, on a thread of the ingest.
  public init(
    _ name: FeedName, from url: URL, in database: FeedDatabase, schema: PayloadSchema? = nil,
    policy: CachePolicy? = nil, dates: PayloadParser.Dates = .strict, client: any FeedHTTPClient,
    limits: BodyLimits = .feed,
    currentDate: @escaping @Sendable () -> Date = { Date() },
    onProgress: @escaping @Sendable (IngestProgress) -> Void = { _ in }
  ) {
    self.name = name
    self.url = url
    self.database = database
    self.schema = schema
    givenPolicy = policy
    self.dates = dates
    self.currentDate = currentDate
    self.onProgress = onProgress
    var resource = RemoteResource(
      FeedHTTPRequest(url), client: client, limits: limits, now: currentDate)
    resource.unpacksFiles = true
    resource.statuses = Self.statuses(ofKind: schema?.name, name)
    self.resource = resource
  }

  /// Comments are accepted with any status from 200 to 299 (Essential App, "2xx RESPONSE"), and
  /// other feeds with exactly 200. If the kind is unknown, a feed is one of comments if its name is
  /// `comments`, or `comments-` and the id of an image.
  private static func statuses(ofKind kind: String?, _ name: FeedName) -> StatusRule {
    let isNamed = name.text == "comments" || name.text.hasPrefix("comments-")
    return (kind ?? (isNamed ? "comments" : nil)) == "comments" ? .successful : .ok
  }

  /// Decides whether the cached feed is valid and how a new one is saved.
  ///
  /// Without a given policy or schema, it is that of the app of the cached feed's kind. It is
  /// `essential` if there is no cached feed or it cannot be read.
  public var policy: CachePolicy { policy(of: try? database.feedDescription(named: name)) }

  private func policy(of cached: @autoclosure () -> FeedDescription?) -> CachePolicy {
    if let policy = givenPolicy ?? schema?.policy { return policy }
    return cached().map { .preset(ofKind: $0.kind) } ?? .essential
  }

  /// Loads the feed from its service into the database.
  ///
  /// - Parameter pages: the maximum number of pages of the service; it links to the next page by
  ///   `info.next` (Rick and Morty App). All of them become one feed, or nothing is changed.
  /// - Returns: the feed as the database now holds it.
  /// - Throws: `RemoteError` if the service cannot be reached or its data is invalid;
  ///   `StoreError`; `CancellationError`. The cached feed is then unchanged.
  public func refresh(pages: Int = 1) async throws -> FeedDelivery {
    try await requests.value(for: RequestedPages(count: pages)) { [self] in
      // A service can confirm only its first page.
      try await fetch(pages: pages, onlyIfChanged: pages == 1)
    }
  }

  /// The latest feed if the service can be reached, else the cached one.
  ///
  /// - Parameter pages: as for ``refresh(pages:)``.
  /// - Throws: `RemoteError` if the service failed and the cached feed is missing, empty or expired
  ///   (all documents, narrative "As an offline customer"); `StoreError`; `CancellationError`.
  public func load(pages: Int = 1) async throws -> FeedDelivery {
    do {
      return try await refresh(pages: pages)
    } catch let error as RemoteError {
      guard let feed = try? cachedFeed() else { throw error }
      return FeedDelivery(feed: feed, origin: .cache(error))
    }
  }

  /// The cached feed; nil if it is missing, invalid or empty.
  ///
  /// An expired feed is deleted if the policy requires it.
  public func cachedFeed() throws(StoreError) -> FeedDescription? {
    let cached = try feedThatBinds()
    let policy = policy(of: cached)
    let feed = try database.validFeed(named: name, policy: policy, at: currentDate())
    return feed.flatMap { $0.recordCount > 0 ? $0 : nil }
  }

  /// Returns when no load is in progress. A cancelled load continues until it has removed what it
  /// wrote. If the process ends before that, a later process removes it.
  public func waitUntilIdle() async {
    await requests.waitUntilIdle()
    await furtherPages.waitUntilIdle()
  }

  /// - Parameter onlyIfChanged: whether the service may confirm the cached feed.
  private func fetch(pages: Int, onlyIfChanged: Bool) async throws -> FeedDelivery {
    let cached = try feedThatBinds()
    let kept = onlyIfChanged && isWanted(cached) ? cached?.validators : nil
    let options = try options(replacing: cached)
    let ingest = database.bodyIngest(
      from: options.appends ? originOfAddition : origin, options: options, progress: onProgress)
    do {
      var resource = resource
      resource.statuses = Self.statuses(ofKind: schema?.name ?? cached?.kind, name)
      let answer = try await resource.stream(ifChangedSince: kept ?? ResponseValidators()) {
        try await ingest.feed($0)
      } finish: { metadata in
        try await addPages(upTo: pages, to: ingest)
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
        // The feed that the service has confirmed was deleted in the meantime.
        return try await fetch(pages: pages, onlyIfChanged: false)
      }
    } catch {
      await ingest.abandon()
      throw described(error)
    }
  }

  /// The cached feed. Nil if it cannot be read and is not needed: a given contract determines what
  /// the service may return, and a damaged feed is to be replaced.
  ///
  /// - Throws: why the feed cannot be read at present, if only the feed determines what may replace
  ///   it.
  func feedThatBinds() throws(StoreError) -> FeedDescription? {
    do throws(StoreError) {
      return try database.feedDescription(named: name)
    } catch {
      guard schema == nil, error.code != .damaged else { return nil }
      throw error
    }
  }

  /// Whether an unchanged service would yield the cached feed. False if another contract, another
  /// version of it, or further indexes are requested. Also false if only the service's items are
  /// requested and the cached feed has additions.
  private func isWanted(_ cached: FeedDescription?) -> Bool {
    guard let cached else { return false }
    let isAddition = policy(of: cached).write == .append && cached.origin == originOfAddition
    guard isAddition || cached.origin == origin else { return false }
    guard let schema else { return true }
    let indexed = schema.fields.filter { $0.isIndexed && $0.id != cached.keyField }.map(\.id)
    return schema.name == cached.kind && schema.layout == cached.layout
      && Set(indexed).isSubset(of: cached.indexedFields)
  }

  /// The cached feed with the present timestamp, or the feed that has replaced it; nil if there is
  /// none.
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
        // Another writer has replaced the feed with a newer one.
        guard error.code == .conflict else { throw error }
        return try database.feedDescription(named: name)
      }
    }
  }

  /// The options of an ingest. Without a given contract, a response must be of the kind of the
  /// cached feed, so the feed is not lost if the service has moved or temporarily returns something
  /// else.
  func options(
    replacing cached: FeedDescription?
  ) throws(RemoteError) -> IngestOptions {
    var options = IngestOptions()
    options.feed = name
    options.schema = schema
    // A feed is read by a contract if one is given, or if it has the name of one. The cached feed
    // may change this below. Otherwise the form is detected.
    let isOfApp = options.catalog.schema(named: name.text) != nil
    if schema != nil || isOfApp { options.form = .contract }
    if let cached, schema == nil, cached.schema?.document == nil {
      options.form = .contract
      guard let bound = cached.contract(in: options.catalog) else {
        throw RemoteError(
          resource: resource.name,
          .content(
            "the cached feed holds \(cached.kind), whose contract is not known here, so that"
              + " nothing can take its place; name the contract"))
      }
      options.catalog = PayloadCatalog([bound])
    } else if cached?.schema?.document != nil {
      options.form = .document
    }
    // The new feed is looked up by the same fields as the cached one.
    options.keepsIndexes = true
    let policy = policy(of: cached)
    options.appends = policy.write == .append
    options.dates = dates
    options.waits = true
    options.waitTimeout = database.writerTimeout
    return options
  }

  // A payload that the ingest refuses is the service's fault: invalid data. So is a valid payload
  // whose kind differs from that of the cached feed that it is appended to.
  func described(_ error: any Error) -> any Error {
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
