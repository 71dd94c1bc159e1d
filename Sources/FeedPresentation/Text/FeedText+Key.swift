extension FeedText {
  /// The keys of the texts. Each key is in the table of each language.
  public enum Key: String, Sendable, Hashable, CaseIterable {
    // Titles
    case feedTitle = "feed.title"
    case commentsTitle = "comments.title"
    case articlesTitle = "articles.title"
    case universitiesTitle = "universities.title"
    case charactersTitle = "characters.title"

    // Lists
    case loading = "list.loading"
    case empty = "list.empty"
    case retry = "list.retry"
    case loadMore = "list.loadMore"
    case end = "list.end"

    // Failures
    case connectivityError = "error.connectivity"
    case invalidDataError = "error.invalidData"
    case emptyCacheError = "error.emptyCache"
    case expiredCacheError = "error.expiredCache"
    case notFoundError = "error.notFound"
    case otherError = "error.other"

    // Articles
    case today = "article.today"
    case articleSource = "article.source"
    case articleAuthor = "article.author"
    case articleLink = "article.link"

    // Universities
    case country = "university.country"
    case countryCode = "university.countryCode"
    case state = "university.state"
    case domains = "university.domains"
    case webPages = "university.webPages"

    // Characters
    case status = "character.status"
    case species = "character.species"
    case statusAlive = "character.status.alive"
    case statusDead = "character.status.dead"
    case statusUnknown = "character.status.unknown"

    // Lists of feeds
    case feedsTitle = "feeds.title"
    case feedCount = "feeds.count"
    case feedUpdated = "feeds.updated"
    case feedUpdatedNow = "feeds.updatedNow"
    case feedSaved = "feeds.saved"
    case feedSavedNow = "feeds.savedNow"
    case feedNotLoaded = "feeds.notLoaded"

    // Pages
    case skip = "page.skip"

    // Lists of a page
    case refresh = "list.refresh"
    case filter = "list.filter"
    case filterApply = "list.filterApply"
    case showAll = "list.showAll"
    case noMatch = "list.noMatch"
    case searchOn = "list.searchOn"
    case added = "list.added"
    case replaced = "list.replaced"
    case startAgain = "list.startAgain"

    // Images
    case imageTitle = "image.title"
    case imageUntitled = "image.untitled"
    case imageOriginal = "image.original"

    /// The English text, which is used if a table lacks the key.
    package var english: String {
      switch self {
      case .feedTitle: "My Feed"
      case .commentsTitle: "Comments"
      case .articlesTitle: "News"
      case .universitiesTitle: "Universities"
      case .charactersTitle: "Characters"
      case .loading: "Loading…"
      case .empty: "Nothing to show yet"
      case .retry: "Try again"
      case .loadMore: "Load more"
      case .end: "That is all"
      case .connectivityError: "Couldn't connect to server"
      case .invalidDataError: "The server sent something that couldn't be read"
      case .emptyCacheError: "Nothing has been saved to show offline"
      case .expiredCacheError: "What was saved is too old to show"
      case .notFoundError: "This couldn't be found"
      case .otherError: "Something went wrong"
      case .today: "Today"
      case .articleSource: "From: %@"
      case .articleAuthor: "By %@"
      case .articleLink: "Read the whole article"
      case .country: "Country"
      case .countryCode: "Country code"
      case .state: "State or province"
      case .domains: "Domains"
      case .webPages: "Web pages"
      case .status: "Status"
      case .species: "Species"
      case .statusAlive: "Alive"
      case .statusDead: "Dead"
      case .statusUnknown: "Unknown"
      case .feedsTitle: "Feeds"
      case .feedCount: "Items: %@"
      case .feedUpdated: "Updated %@"
      case .feedUpdatedNow: "Updated just now"
      case .feedSaved: "Showing what was saved %@"
      case .feedSavedNow: "Showing what was saved just now"
      case .feedNotLoaded: "Not loaded yet"
      case .skip: "Skip to the content"
      case .refresh: "Refresh"
      case .filter: "Filter"
      case .filterApply: "Apply"
      case .showAll: "Show all"
      case .noMatch: "Nothing matches “%@”"
      case .searchOn: "Search further"
      case .added: "Loaded: %@"
      case .replaced: "The feed has changed since this list was begun"
      case .startAgain: "Back to the beginning"
      case .imageTitle: "Image: %@"
      case .imageUntitled: "Untitled image"
      case .imageOriginal: "Open the original image"
      }
    }
  }
}
