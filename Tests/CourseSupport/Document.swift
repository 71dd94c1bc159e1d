/// The five documents that specify the apps.
public enum Document: String, Sendable, CaseIterable {
  /// ListApp.
  case universities
  /// Essential App.
  case essential
  /// Essential Feed App, 2020.
  case feed2020
  /// Rick and Morty App.
  case characters
  /// EssentialNews.
  case news

  /// The title in the document.
  public var title: String {
    switch self {
    case .universities: "List App"
    case .essential: "Essential App"
    case .feed2020: "Essential Feed App (2020)"
    case .characters: "Rick and Morty App"
    case .news: "EssentialNews App"
    }
  }
}
