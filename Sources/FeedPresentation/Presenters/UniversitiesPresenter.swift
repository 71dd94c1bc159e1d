public import FeedFeature

/// Presents the feed of universities and the detail of each (ListApp).
public struct UniversitiesPresenter: Sendable {
  private let text: FeedText

  /// Makes a presenter in a language.
  public init(text: FeedText) { self.text = text }

  /// The title of the feed.
  public var title: String { text[.universitiesTitle] }

  /// The view models of the universities, in the order of the feed.
  public func map(_ universities: [University]) -> [UniversityViewModel] {
    universities.map { university in
      UniversityViewModel(
        name: university.name, country: university.country, state: university.stateProvince)
    }
  }

  /// The detail of a university ("Detail view Use Case").
  public func mapDetail(_ university: University) -> UniversityDetailViewModel {
    var fields = [
      LabelledText(label: text[.country], value: university.country),
      LabelledText(label: text[.countryCode], value: university.alphaTwoCode),
    ]
    if let state = university.stateProvince {
      fields.append(LabelledText(label: text[.state], value: state))
    }
    return UniversityDetailViewModel(
      name: university.name, fields: fields, domainsTitle: text[.domains],
      domains: university.domains ?? [], linksTitle: text[.webPages],
      links: university.webPages.map { WebLink($0) })
  }
}

/// The view model of a university in a list.
public struct UniversityViewModel: Sendable, Hashable {
  /// The name; also the key of its detail.
  public let name: String
  /// The country.
  public let country: String
  /// The state or province.
  public let state: String?

  /// Whether the state is shown at all.
  public var hasState: Bool { state != nil }
}

/// The view model of a university's detail.
public struct UniversityDetailViewModel: Sendable, Hashable {
  /// The name.
  public let name: String
  /// The country and its code, and the state or province if there is one.
  public let fields: [LabelledText]
  /// The title of the domains.
  public let domainsTitle: String
  /// Its domains, in the order of the feed.
  public let domains: [String]
  /// The title of the links.
  public let linksTitle: String
  /// Its web pages, in the order of the feed.
  public let links: [WebLink]
}
