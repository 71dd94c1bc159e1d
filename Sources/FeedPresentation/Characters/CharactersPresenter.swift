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

  /// What is shown of each character in the list, in the order of the feed.
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

  /// The three that the service has in words of the language, any other as it is.
  private func status(_ status: String) -> String {
    switch status.lowercased() {
    case "alive": text[.statusAlive]
    case "dead": text[.statusDead]
    case "unknown": text[.statusUnknown]
    default: status
    }
  }
}

/// What is shown of a character in a list.
public struct CharacterViewModel: Sendable, Hashable {
  /// The name; also what its detail is asked for by.
  public let name: String
  /// Alive, dead or unknown.
  public let status: String
  /// What kind of being it is.
  public let species: String
  /// The portrait.
  public let image: URL
}

/// What is shown of a character by itself.
public struct CharacterDetailViewModel: Sendable, Hashable {
  /// The name.
  public let name: String
  /// The portrait.
  public let image: URL
  /// Its status and its species.
  public let fields: [LabelledText]
}
