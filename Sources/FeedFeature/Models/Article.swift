#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The source of an article (EssentialNews, "Source").
public struct Source: Hashable, Sendable, Codable {
  /// The service's short name of the source, such as `fox-news`.
  public var id: String?
  /// The source's own name.
  public var name: String

  /// Makes a source; the id may be missing.
  public init(id: String? = nil, name: String) {
    self.id = id
    self.name = name
  }
}

/// A news article (EssentialNews, "Article").
public struct Article: Hashable, Sendable, Codable {
  /// The publisher of the article.
  public var source: Source
  /// The author, if known.
  public var author: String?
  /// The headline.
  public var title: String
  /// A short description.
  public var description: String?
  /// The URL of the article; also the key of its record.
  public var url: URL
  /// The URL of its picture.
  public var urlToImage: URL?
  /// When it was published.
  public var publishedAt: Date
  /// The beginning of its text.
  public var content: String?

  /// Makes an article. What is optional in the payload may be omitted.
  public init(
    source: Source, author: String? = nil, title: String, description: String? = nil, url: URL,
    urlToImage: URL? = nil, publishedAt: Date, content: String? = nil
  ) {
    self.source = source
    self.author = author
    self.title = title
    self.description = description
    self.url = url
    self.urlToImage = urlToImage
    self.publishedAt = publishedAt
    self.content = content
  }
}
