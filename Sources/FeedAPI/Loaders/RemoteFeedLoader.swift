public import FeedFeature
import FeedRecord
public import FeedSchema
public import JSONStream

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads a feed from a service. The body is parsed as it arrives. One invalid item makes the whole
/// payload invalid ("Load Feed From Remote" of the apps).
public struct RemoteFeedLoader<Item: PayloadModel>: FeedLoader {
  private var resource: RemoteResource
  private let options: JSONOptions
  private let dates: PayloadParser.Dates

  /// Makes a loader of a URL.
  ///
  /// - Parameters:
  ///   - url: the URL of the feed.
  ///   - client: fetches the feed.
  ///   - statuses: the accepted statuses; exactly 200 by default.
  public init(url: URL, client: any FeedHTTPClient, statuses: StatusRule = .ok) {
    self.init(RemoteResource(url, client: client, statuses: statuses, limits: .array))
  }

  /// Makes a loader of a resource with its own rules.
  ///
  /// - Parameters:
  ///   - resource: the location of the feed, and its maximum length.
  ///   - options: how it is read; by default on one lane, which is faster than most networks.
  ///   - dates: how to handle a date that does not have the contract's form.
  public init(
    _ resource: RemoteResource, options: JSONOptions? = nil,
    dates: PayloadParser.Dates = .strict
  ) {
    var onOneLane = JSONOptions()
    onOneLane.lanes = 1
    self.resource = resource
    self.resource.unpacksFiles = true
    self.options = options ?? onOneLane
    self.dates = dates
  }

  /// The items of the feed, in order and all in memory. For a feed that is too large for memory,
  /// use ``forEachBatch(ifChangedSince:_:)``.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` if the task was cancelled.
  @concurrent
  public func load() async throws -> [Item] {
    // Without validators there is always content.
    try await load(ifChangedSince: ResponseValidators()).content ?? []
  }

  /// The items, unless the feed still matches the validators.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` if the task was cancelled.
  @concurrent
  public func load(
    ifChangedSince validators: ResponseValidators
  ) async throws -> RemoteAnswer<[Item]> {
    try await load(ifChangedSince: validators) { items, _ in items }
  }

  /// Calls `body` with each batch of records as soon as it has arrived, in order.
  ///
  /// All records before a fault are passed to `body` before the fault is thrown. A caller that must
  /// not act on part of a feed waits for the return. Memory does not grow with the feed.
  ///
  /// - Parameters:
  ///   - validators: the validators of the request.
  ///   - body: receives a batch; throws to stop.
  /// - Returns: how much was read.
  /// - Throws: ``RemoteError``, also for what `body` throws; `CancellationError` if the task was
  ///   cancelled.
  public func forEachBatch(
    ifChangedSince validators: ResponseValidators = ResponseValidators(),
    _ body: @escaping (RecordBatch) throws(JSONError) -> Void
  ) async throws -> RemoteAnswer<PayloadParser.Summary> {
    let push = push(body)
    return try await resource.stream(ifChangedSince: validators) { piece in
      try push.feed(piece.span.bytes)
    } finish: { _ in
      try push.finish()
    }
  }

  /// The result of `finish` for the items and their envelope, such as a page of a custom payload.
  ///
  /// - Parameters:
  ///   - validators: the validators of the request.
  ///   - finish: receives the items, all in memory, and the JSON text around them. It throws a
  ///     ``RemoteError/Cause`` if the envelope violates the contract.
  /// - Throws: ``RemoteError``; `CancellationError` if the task was cancelled; any other error of
  ///   `finish`.
  @concurrent
  public func load<Content: Sendable>(
    ifChangedSince validators: ResponseValidators = ResponseValidators(),
    finish: @Sendable ([Item], PageEnvelope) throws -> Content
  ) async throws -> RemoteAnswer<Content> {
    let collector = ModelCollector<Item>()
    let push = push { (batch) throws(JSONError) in try collector.take(batch) }
    return try await resource.stream(ifChangedSince: validators) { piece in
      try push.feed(piece.span.bytes)
    } finish: { _ in
      try push.finish()
      return try finish(collector.items, PageEnvelope(push.envelope ?? []))
    }
  }

  private func push(_ body: @escaping (RecordBatch) throws(JSONError) -> Void) -> PayloadPush {
    var parser = PayloadParser(schema: Item.schema)
    parser.options = options
    parser.dates = dates
    return parser.push(named: resource.name, body)
  }
}

/// The models of all batches of one payload.
final class ModelCollector<Item: PayloadModel> {
  private(set) var items: [Item] = []

  func take(_ batch: RecordBatch) throws(JSONError) {
    do throws(RecordError) {
      items += try batch.models(Item.self)
    } catch {
      throw JSONError(.schema, "a record makes no model: \(error.message)")
    }
  }
}
