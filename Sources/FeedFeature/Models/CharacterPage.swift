#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A page of characters, as the service delivers them (Rick and Morty App, "Feed Item").
public struct CharacterPage: Hashable, Sendable {
  /// The characters of this page, in the order of the payload.
  public var characters: [Character]
  /// Where the next page is; `info.next` in the payload. The document has a URL here always,
  /// the service has null on its last page.
  public var nextPage: URL?

  /// Makes a page; the last one has no next page.
  public init(characters: [Character], nextPage: URL? = nil) {
    self.characters = characters
    self.nextPage = nextPage
  }
}
