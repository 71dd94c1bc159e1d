#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A page of characters, as the service delivers them (Rick and Morty App, "Feed Item").
public struct CharacterPage: Hashable, Sendable {
  /// The characters of this page, in the order of the payload.
  public var characters: [SeriesCharacter]
  /// Where the next page is; `info.next` in the payload. The document has a URL here always,
  /// the service has null on its last page.
  public var nextPage: URL?

  /// Makes a page; the last one has no next page.
  public init(characters: [SeriesCharacter], nextPage: URL? = nil) {
    self.characters = characters
    self.nextPage = nextPage
  }
}

extension CharacterPage: Codable {
  private enum CodingKeys: String, CodingKey {
    case characters = "results"
    case info
  }

  private struct Info: Codable { var next: URL? }

  /// Reads the payload contract, in which the next page stands in an object.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    characters = try container.decode([SeriesCharacter].self, forKey: .characters)
    nextPage = try container.decode(Info.self, forKey: .info).next
  }

  /// Writes the payload contract, in which the next page stands in an object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(characters, forKey: .characters)
    try container.encode(Info(next: nextPage), forKey: .info)
  }
}
