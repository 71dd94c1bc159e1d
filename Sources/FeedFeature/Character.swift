#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A character of the series (Rick and Morty App, "Character Item").
public struct Character: Hashable, Sendable, Codable {
  public var name: String
  public var status: String
  public var species: String
  public var image: URL

  public init(name: String, status: String, species: String, image: URL) {
    self.name = name
    self.status = status
    self.species = species
    self.image = image
  }
}
