public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads pages of characters. Each page contains the URL of the next (Rick and Morty App, "Load
/// Feed").
public struct RemoteCharacterPageLoader: FeedPageLoader {
  private let firstPage: URL
  private let client: any FeedHTTPClient

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - firstPage: the URL of the first page; see ``CharactersEndpoint``.
  ///   - client: fetches the pages.
  public init(firstPage: URL, client: any FeedHTTPClient) {
    self.firstPage = firstPage
    self.client = client
  }

  /// The page at a URL, or the first page.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` if the task was cancelled.
  public func loadPage(
    at cursor: URL?
  ) async throws -> FeedPage<SeriesCharacter, URL> {
    FeedPage(try await load(cursor ?? firstPage))
  }

  /// The characters of one page, and the URL of the next.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` if the task was cancelled.
  @concurrent
  public func load(_ url: URL) async throws -> CharacterPage {
    let loader = RemoteFeedLoader<SeriesCharacter>(url: url, client: client)
    let answer = try await loader.load { items, envelope throws(RemoteError.Cause) in
      guard envelope.info != nil else {
        throw .content("expected a page of characters, with an object info that tells of the next")
      }
      return CharacterPage(characters: items, nextPage: try envelope.nextPage(after: url))
    }
    // Without validators there is always content.
    return answer.content ?? CharacterPage(characters: [])
  }
}
