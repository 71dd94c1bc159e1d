import FeedAPI
import FeedFeature
import FeedSchema
public import FeedStorage
import Synchronization
import Threading

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Pages of a service after the first. A service links to the next page (`info.next`, Rick and Morty
// App), numbers its pages and states the number of records (`page` and `totalResults`,
// EssentialNews), or returns the records after a given one (`after_id`, Essential App).
extension FeedSource {
  /// The maximum number of pages, for a service whose pages never end.
  private static let maximumPages = 10_000

  /// Whether the service may have more records than a cached feed.
  ///
  /// For a feed of images only a request can determine this, so it is true until a request finds no
  /// new record.
  public func mayHaveMore(_ feed: FeedDescription) -> Bool {
    guard feed.origin == origin || feed.origin == originOfAddition else { return false }
    guard !furtherPages.isComplete(feed) else { return false }
    let envelope = PageEnvelope(feed.envelope)
    if envelope.info != nil { return envelope.info?.next != nil }
    return switch PagingStyle(feed) {
    case .numbered: (envelope.totalCount ?? 0) > feed.recordCount
    case .afterLast: feed.recordCount > 0
    case nil: false
    }
  }

  /// Loads the pages after those of the cached feed until there is a new record, and appends them.
  /// Concurrent calls share the requests. The feed keeps its timestamp and its validators, which
  /// are those of its first page.
  ///
  /// - Returns: the longer feed, or the one that has replaced it; nil if the service has no more.
  /// - Throws: `RemoteError`; `StoreError`; `CancellationError`. The cached feed then has the pages
  ///   that were loaded before.
  public func loadMore() async throws -> FeedDescription? {
    try await furtherPages.requests.value(for: name) { [self] in try await appendPages() }
  }

  private func appendPages() async throws -> FeedDescription? {
    guard var cached = try feedThatBinds() else { return nil }
    var visited: Set<URL> = []
    while mayHaveMore(cached), visited.count < Self.maximumPages {
      guard let page = try nextPage(after: cached), visited.insert(page.url).inserted else { break }
      guard let (feed, isReplaced) = try await append(page, to: cached) else { break }
      if feed.recordCount > cached.recordCount || isReplaced { return feed }
      cached = feed
      // A service that ignores the page number or the id answers with records that the feed already
      // has. Only links may lead through pages that an earlier load has stored.
      guard page.isLinked else { break }
    }
    furtherPages.complete(cached)
    return nil
  }

  private struct NextPage {
    let url: URL
    let isLinked: Bool
    /// Its number, if the service numbers its pages.
    var number: Int?
  }

  private func nextPage(after feed: FeedDescription) throws -> NextPage? {
    let envelope = PageEnvelope(feed.envelope)
    if envelope.info != nil {
      return try link(in: envelope, after: url).map { NextPage(url: $0, isLinked: true) }
    }
    switch PagingStyle(feed) {
    case .numbered:
      let size = max(url.queryNumber("pageSize") ?? PagingStyle.newsPageSize, 1)
      let known = furtherPages.number(of: feed) ?? (feed.recordCount + size - 1) / size
      let number = max(known, 1) + 1
      let next = url.endpoint([], query: [("page", String(number))])
      return NextPage(url: next, isLinked: false, number: number)
    case .afterLast:
      guard let stored = try database.feed(named: name) else { return nil }
      var last: UUID?
      try stored.forEach(FeedImage.self, from: max(stored.description.recordCount - 1, 0)) {
        last = $0.id
      }
      return last.map { id in
        NextPage(url: url.endpoint([], query: [("after_id", id.uuidString)]), isLinked: false)
      }
    case nil: return nil
    }
  }

  private func link(in envelope: PageEnvelope, after url: URL) throws(RemoteError) -> URL? {
    do throws(RemoteError.Cause) {
      return try envelope.nextPage(after: url)
    } catch {
      throw RemoteError(resource: resource.name, error)
    }
  }

  /// The feed with a page appended, or the feed that has replaced it meanwhile; nil if the service
  /// has no such page.
  private func append(
    _ page: NextPage, to cached: FeedDescription
  ) async throws -> (feed: FeedDescription, isReplaced: Bool)? {
    var options = try options(replacing: cached)
    // A page of a feed of documents is appended as documents, without a contract.
    if cached.schema?.document == nil {
      options.schema = options.schema ?? cached.contract(in: options.catalog)
    }
    options.appends = true
    options.condition = .generation(cached.generation)
    let ingest = database.bodyIngest(from: cached.origin, options: options, progress: onProgress)
    do {
      let answer = try await resource(at: page.url).stream {
        try await ingest.feed($0)
      } finish: { _ in
        try await ingest.finish(
          IngestDetails(
            referenceSeconds: cached.referenceSeconds, validators: cached.validators))
      }
      let feed = answer.content?.feed
      if let feed, let number = page.number { furtherPages.set(number, of: feed) }
      return feed.map { ($0, false) }
    } catch {
      await ingest.abandon()
      // A service without links may answer 404 for the page after the last one.
      if !page.isLinked, (error as? RemoteError)?.cause == .status(404) { return nil }
      if let error = error as? IngestError, error.store?.code == .conflict {
        return try database.feedDescription(named: name).map { ($0, true) }
      }
      throw described(error)
    }
  }

  /// Adds the pages after the first to an ingest that has just received the first.
  func addPages(upTo count: Int, to ingest: BodyIngest) async throws {
    var visited = [url]
    while visited.count < count, let current = visited.last {
      let envelope = try await ingest.endDocument().map { PageEnvelope($0) }
      guard let envelope, let next = try link(in: envelope, after: current) else { return }
      guard !visited.contains(next), visited.count < Self.maximumPages else {
        let reason =
          visited.contains(next)
          ? "the pages lead in a circle: page \(visited.count) links to one before it"
          : "there are more than \(Self.maximumPages) pages; pass a number of pages"
        throw RemoteError(resource: resource.name, .content(reason))
      }
      _ = try await resource(at: next).stream {
        try await ingest.feed($0)
      } finish: { _ in
      }
      visited.append(next)
    }
  }

  private func resource(at url: URL) -> RemoteResource {
    var page = resource
    page.request.url = url
    return page
  }
}

/// How more records of a kind are requested from a service without links.
private enum PagingStyle {
  /// By the number of the page.
  case numbered
  /// By the id of the last record.
  case afterLast

  /// The length of a page of news unless its URL states one.
  static let newsPageSize = 20

  init?(_ feed: FeedDescription) {
    switch feed.presetName {
    case "news": self = .numbered
    case "feed": self = .afterLast
    default: return nil
    }
  }
}

/// The further pages of one source: requests in progress, and the paging state of one generation.
final class FurtherPages: Sendable {
  private struct State {
    var generation: UInt64?
    /// The number of the last page in the feed, if the service numbers its pages.
    var number: Int?
    /// Whether the service has no more.
    var isComplete = false
  }

  let requests = SingleFlight<FeedName, FeedDescription?>()
  private let state = Mutex(State())

  func isComplete(_ feed: FeedDescription) -> Bool {
    state.withLock { $0.generation == feed.generation && $0.isComplete }
  }

  func complete(_ feed: FeedDescription) {
    state.withLock { $0 = State(generation: feed.generation, isComplete: true) }
  }

  func number(of feed: FeedDescription) -> Int? {
    state.withLock { $0.generation == feed.generation ? $0.number : nil }
  }

  func set(_ number: Int, of feed: FeedDescription) {
    state.withLock { $0 = State(generation: feed.generation, number: number) }
  }

  func waitUntilIdle() async { await requests.waitUntilIdle() }
}

extension URL {
  fileprivate func queryNumber(_ name: String) -> Int? {
    let parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
    return parts?.queryItems?.first { $0.name == name }?.value.flatMap { Int($0) }
  }
}
