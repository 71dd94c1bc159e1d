import URLEscaping

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The JSON text around the records of a page: the document with its array of records left empty.
///
/// It has what a service states about its pages, such as `info` of the characters or `totalResults`
/// of the news. A loader for pages of a custom payload decodes its own type from it:
///
/// ```swift
/// struct Position: Decodable { var offset: Int }
/// let answer = try await loader.load { items, envelope in
///   FeedPage(items: items, next: try envelope.decode(Position.self).offset)
/// }
/// ```
public struct PageEnvelope: Sendable, Hashable {
  /// The text; empty if the document is not wrapped in an object.
  public let text: [UInt8]

  /// Makes an envelope of its text.
  public init(_ text: [UInt8]) { self.text = text }

  /// A value of the object around the records.
  ///
  /// - Throws: ``RemoteError/Cause/content(_:)`` if the object has another shape, or there is none.
  public func decode<Value: Decodable>(_ type: Value.Type) throws(RemoteError.Cause) -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(text))
    } catch {
      throw .content("the object around the records of the page is no \(type)")
    }
  }

  /// What `info` states about the pages; nil if there is no such object.
  public var info: PageInfo? { (try? decode(Informed.self))?.info }

  /// The number of records on all pages, by `info.count` or `totalResults`; nil if neither is
  /// stated.
  public var totalCount: Int? {
    let count = info?.count ?? (try? decode(Counted.self))?.totalResults
    return count.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// The URL of the next page, by `info.next`; nil if there is none.
  ///
  /// Only the caller chooses credentials. Those of `url` are kept within its origin, and those that
  /// the service writes into the link are dropped.
  ///
  /// - Parameter url: the URL of this page.
  /// - Throws: ``RemoteError/Cause/content(_:)`` if the link is not the URL of a page.
  public func nextPage(after url: URL) throws(RemoteError.Cause) -> URL? {
    guard let next = info?.next else { return nil }
    guard let page = URL(escaping: next)?.absoluteHTTP, let origin = Origin(page),
      var parts = URLComponents(url: page, resolvingAgainstBaseURL: true)
    else { throw .content("info.next: expected an absolute URL or null") }
    let own = URLComponents(url: url, resolvingAgainstBaseURL: true)
    let isSameOrigin = Origin(url) == origin
    let user = isSameOrigin ? own?.percentEncodedUser : nil
    let password = isSameOrigin ? own?.percentEncodedPassword : nil
    guard parts.percentEncodedUser != user || parts.percentEncodedPassword != password else {
      return page
    }
    (parts.percentEncodedUser, parts.percentEncodedPassword) = (user, password)
    return parts.url ?? page
  }
}

/// What a service states about its pages (Rick and Morty App, `info`).
public struct PageInfo: Sendable, Hashable, Decodable {
  /// The number of records on all pages.
  public var count: Int?
  /// The number of pages.
  public var pages: Int?
  /// The URL of the next page; nil on the last one.
  public var next: String?
  /// The URL of the previous page; nil on the first one.
  public var prev: String?

  private enum CodingKeys: String, CodingKey { case count, pages, next, prev }

  /// Decodes `info`. A `next` that is neither a string nor null is an error. Any other member with
  /// an unexpected type is nil, so that the pages can still be loaded.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    next = try container.decodeIfPresent(String.self, forKey: .next)
    count = try? container.decodeIfPresent(Int.self, forKey: .count)
    pages = try? container.decodeIfPresent(Int.self, forKey: .pages)
    prev = try? container.decodeIfPresent(String.self, forKey: .prev)
  }
}

private struct Informed: Decodable { var info: PageInfo? }

private struct Counted: Decodable { var totalResults: Int? }
