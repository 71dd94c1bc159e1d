import FeedRecord
public import FeedSchema
import JSONStream

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Maps a response that a program has received by itself, its bytes and its status, to models
/// ("Load Feed From Remote" of the apps). It uses no client.
///
/// The rules are those of ``RemoteFeedLoader``: one invalid item makes the whole payload invalid.
public struct FeedResponseMapper<Item: PayloadModel>: Sendable {
  private let statuses: StatusRule
  private let dates: PayloadParser.Dates
  private let resource: String

  /// Makes a mapper.
  ///
  /// - Parameters:
  ///   - statuses: the accepted statuses; exactly 200 by default. Comments use
  ///     ``StatusRule/successful``.
  ///   - dates: how to handle a date that does not have the contract's form.
  ///   - resource: the name of the response in errors.
  public init(
    statuses: StatusRule = .ok, dates: PayloadParser.Dates = .strict,
    resource: String = "the response"
  ) {
    self.statuses = statuses
    self.dates = dates
    self.resource = resource
  }

  /// The items of a response, in order.
  ///
  /// - Throws: ``RemoteError`` of the kind `invalidData`.
  public func items(in data: Data, status: Int) throws(RemoteError) -> [Item] {
    try page(in: data, status: status) { items, _ in items }
  }

  /// The result of `finish` for the items of a response and the JSON text around them.
  ///
  /// - Throws: ``RemoteError`` of the kind `invalidData`, also for what `finish` throws.
  public func page<Content>(
    in data: Data, status: Int,
    finish: ([Item], PageEnvelope) throws(RemoteError.Cause) -> Content
  ) throws(RemoteError) -> Content {
    do throws(RemoteError.Cause) {
      guard statuses.accepts(status) else { throw .status(status) }
      let (items, envelope) = try parsed(data)
      return try finish(items, envelope)
    } catch {
      throw RemoteError(resource: resource, error)
    }
  }

  private func parsed(_ data: Data) throws(RemoteError.Cause) -> ([Item], PageEnvelope) {
    var parser = PayloadParser(schema: Item.schema)
    parser.options.lanes = 1
    parser.dates = dates
    let collector = ModelCollector<Item>()
    let push = parser.push(named: resource) { (batch) throws(JSONError) in
      try collector.take(batch)
    }
    do throws(JSONError) {
      try push.feed(data)
      try push.finish()
    } catch {
      throw .payload(error)
    }
    return (collector.items, PageEnvelope(push.envelope ?? []))
  }
}

/// Maps a response with an image that a program has received by itself, its bytes and its status,
/// to the image's data ("Load Feed Image Data From Remote" of the apps).
public enum FeedImageDataMapper {
  /// The data of an image.
  ///
  /// - Throws: ``RemoteError`` of the kind `invalidData` for a status other than 200 and for no
  ///   data.
  public static func data(
    in data: Data, status: Int, resource: String = "the response"
  ) throws(RemoteError) -> Data {
    guard StatusRule.ok.accepts(status) else {
      throw RemoteError(resource: resource, .status(status))
    }
    guard !data.isEmpty else { throw RemoteError(resource: resource, .emptyBody) }
    return data
  }
}
