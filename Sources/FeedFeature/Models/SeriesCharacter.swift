#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A character of the series (Rick and Morty App, "Character Item").
public struct SeriesCharacter: Hashable, Sendable, Codable {
  /// The name; also the key of the record, and not unique.
  public var name: String
  /// Alive, dead or unknown, in the payload's spelling.
  public var status: String
  /// The species.
  public var species: String
  /// The portrait.
  public var image: URL

  /// Makes a character.
  public init(name: String, status: String, species: String, image: URL) {
    self.name = name
    self.status = status
    self.species = species
    self.image = image
  }
}

/// A page of characters of the service (Rick and Morty App, "Feed Item").
public struct CharacterPage: Hashable, Sendable {
  /// The characters of this page, in the order of the payload.
  public var characters: [SeriesCharacter]
  /// The URL of the next page; `info.next` in the payload. The document always has a URL here; the
  /// service has null on its last page.
  public var nextPage: URL?

  /// Makes a page; for the last one, `nextPage` is nil.
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

  /// Decodes the payload contract, in which an object contains the next page.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    characters = try container.decode([SeriesCharacter].self, forKey: .characters)
    nextPage = try container.decode(Info.self, forKey: .info).next
  }

  /// Encodes the payload contract, in which an object contains the next page.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(characters, forKey: .characters)
    try container.encode(Info(next: nextPage), forKey: .info)
  }
}
