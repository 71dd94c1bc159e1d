#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Where an article comes from (EssentialNews, "Source").
public struct Source: Hashable, Sendable, Codable {
  public var id: String?
  public var name: String

  public init(id: String? = nil, name: String) {
    self.id = id
    self.name = name
  }
}

/// A news article (EssentialNews, "Article").
public struct Article: Hashable, Sendable, Codable {
  public var source: Source
  public var author: String?
  public var title: String
  public var description: String?
  public var url: URL
  public var urlToImage: URL?
  public var publishedAt: Date
  public var content: String?

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
