public import FeedFeature
import FeedPayloads

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads pages of characters, each of which says where the next one is (Rick and Morty App,
/// "Load Feed").
public struct RemoteCharacterPageLoader: FeedPageLoader {
  private let firstPage: URL
  private let client: any HTTPClient

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - firstPage: where the first page is; see ``CharactersEndpoint``.
  ///   - client: what fetches the pages.
  public init(firstPage: URL, client: any HTTPClient) {
    self.firstPage = firstPage
    self.client = client
  }

  /// The page at a URL, the first one without.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` where the task was cancelled.
  public func loadPage(
    at cursor: URL?
  ) async throws -> FeedPage<SeriesCharacter, URL> {
    FeedPage(try await load(cursor ?? firstPage))
  }

  /// The characters of one page, and where the next one is.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` where the task was cancelled.
  @concurrent
  public func load(_ url: URL) async throws -> CharacterPage {
    let loader = RemoteFeedLoader<SeriesCharacter>(url: url, client: client)
    let answer = try await loader.collect { items, envelope in
      CharacterPage(characters: items, nextPage: try PageInfo.next(in: envelope))
    }
    // Without validators there is always a content.
    return answer.content ?? CharacterPage(characters: [])
  }
}

/// What stands around the characters of a page.
private struct PageInfo: Decodable {
  struct Info: Decodable { var next: String? }
  var info: Info

  /// Where the next page is, or nil on the last one.
  static func next(in envelope: [UInt8]?) throws(RemoteError.Cause) -> URL? {
    // The text has been proved to be JSON, so what can fail is its shape.
    guard let envelope, let page = try? JSONDecoder().decode(Self.self, from: Data(envelope)) else {
      throw .content("expected a page of characters, with an object info that tells of the next")
    }
    guard let next = page.info.next else { return nil }
    let text = Array(next.utf8)
    guard URLText.isAbsolute(text.span.bytes), let url = URL(string: next) else {
      throw .content("info.next: expected an absolute URL or null")
    }
    return url
  }
}
