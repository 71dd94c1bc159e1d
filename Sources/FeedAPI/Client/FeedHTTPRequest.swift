#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A GET request, the only kind that the loaders make.
public struct FeedHTTPRequest: Sendable, Hashable {
  /// The URL of the resource.
  public var url: URL
  /// Header fields, such as an `Authorization` of the service.
  public var fields: FeedHTTPFields

  /// Makes a request.
  public init(_ url: URL, fields: FeedHTTPFields = [:]) {
    self.url = url
    self.fields = fields
  }
}
