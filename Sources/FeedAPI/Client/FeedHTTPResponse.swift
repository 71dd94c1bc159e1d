#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The head of a response and its body.
public struct FeedHTTPResponse: Sendable {
  /// The status code (RFC 9110, section 15).
  public var status: Int
  /// The header fields.
  public var fields: FeedHTTPFields
  /// The body. It can be read once.
  public var body: FeedHTTPBody
  /// The URL of the final response, if redirects led to another one.
  public var url: URL?

  /// Makes a response.
  public init(
    status: Int, fields: FeedHTTPFields = [:], body: FeedHTTPBody = FeedHTTPBody(), url: URL? = nil
  ) {
    self.status = status
    self.fields = fields
    self.body = body
    self.url = url
  }
}
