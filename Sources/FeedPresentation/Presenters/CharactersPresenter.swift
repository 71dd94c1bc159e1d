public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Presents the feed of characters and the detail of each (Rick and Morty App).
public struct CharactersPresenter: Sendable {
  private let text: FeedText

  /// Makes a presenter in a language.
  public init(text: FeedText) { self.text = text }

  /// The title of the feed.
  public var title: String { text[.charactersTitle] }

  /// The view models of the characters, in the order of the feed.
  public func map(_ characters: [SeriesCharacter]) -> [CharacterViewModel] {
    characters.map { character in
      CharacterViewModel(
        name: character.name, status: status(character.status), species: character.species,
        image: character.image)
    }
  }

  /// The detail of a character.
  public func mapDetail(_ character: SeriesCharacter) -> CharacterDetailViewModel {
    CharacterDetailViewModel(
      name: character.name, image: character.image,
      fields: [
        LabelledText(label: text[.status], value: status(character.status)),
        LabelledText(label: text[.species], value: character.species),
      ])
  }

  /// Translates the three statuses of the service; any other stays unchanged.
  private func status(_ status: String) -> String {
    switch status.lowercased() {
    case "alive": text[.statusAlive]
    case "dead": text[.statusDead]
    case "unknown": text[.statusUnknown]
    default: status
    }
  }
}

/// The view model of a character in a list.
public struct CharacterViewModel: Sendable, Hashable {
  /// The name; also the key of its detail.
  public let name: String
  /// Alive, dead or unknown.
  public let status: String
  /// The species.
  public let species: String
  /// The portrait.
  public let image: URL
}

/// The view model of a character's detail.
public struct CharacterDetailViewModel: Sendable, Hashable {
  /// The name.
  public let name: String
  /// The portrait.
  public let image: URL
  /// Its status and its species.
  public let fields: [LabelledText]
}
