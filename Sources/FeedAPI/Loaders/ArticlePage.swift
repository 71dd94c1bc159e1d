#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An article as its publisher shows it.
public struct ArticlePage: Hashable, Sendable {
  /// The URL of the article.
  public var url: URL
  /// The page's text, in the encoding that the page declares.
  public var data: Data
  /// The media type from the publisher, such as `text/html`.
  public var mediaType: String?

  /// Makes a page.
  public init(url: URL, data: Data, mediaType: String? = nil) {
    self.url = url
    self.data = data
    self.mediaType = mediaType
  }
}
