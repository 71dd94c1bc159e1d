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
