#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Where an article comes from (EssentialNews, "Source").
public struct Source: Hashable, Sendable, Codable {
  /// The short name that the service gives the source, such as `fox-news`.
  public var id: String?
  /// What the source calls itself.
  public var name: String

  /// Makes a source; the id may be missing.
  public init(id: String? = nil, name: String) {
    self.id = id
    self.name = name
  }
}

/// A news article (EssentialNews, "Article").
public struct Article: Hashable, Sendable, Codable {
  /// Where the article was published.
  public var source: Source
  /// Who wrote it, where that is told.
  public var author: String?
  /// The headline.
  public var title: String
  /// A sentence or two about it.
  public var description: String?
  /// The article itself; also the key of its record.
  public var url: URL
  /// Its picture.
  public var urlToImage: URL?
  /// When it was published.
  public var publishedAt: Date
  /// The beginning of its text.
  public var content: String?

  /// Makes an article; what the payload may leave out may be left out.
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
