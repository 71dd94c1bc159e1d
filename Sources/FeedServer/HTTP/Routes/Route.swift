/// The resources of the server, identified by their paths.
enum Route: Sendable, Hashable {
  case feeds
  case feed(String)
  case record(String, key: String)
  case image
  case imageFeed
  case comments(String)
  case universities
  case characters
  case headlines
  case health
  case readiness
  case metrics
  case description

  /// The resource of a path; nil if the API has none.
  init?(_ segments: [String]) {
    switch segments.count {
    case 1:
      switch segments[0] {
      case "feeds": self = .feeds
      case "images": self = .image
      case "search": self = .universities
      case "healthz": self = .health
      case "readyz": self = .readiness
      case "metrics": self = .metrics
      case "openapi.json": self = .description
      default: return nil
      }
    case 2:
      switch (segments[0], segments[1]) {
      case ("v1", "feed"): self = .imageFeed
      case ("api", "character"): self = .characters
      case ("v2", "top-headlines"): self = .headlines
      case ("feeds", let name): self = .feed(name)
      default: return nil
      }
    // The links of the app's own service end with a slash.
    case 3 where segments == ["api", "character", ""]: self = .characters
    case 4 where segments[0] == "feeds" && segments[2] == "records":
      self = .record(segments[1], key: segments[3])
    case 4 where segments[0] == "v1" && segments[1] == "image" && segments[3] == "comments":
      self = .comments(segments[2])
    default: return nil
    }
  }

  /// Its name in descriptions and counters.
  var template: String {
    switch self {
    case .feeds: "/feeds"
    case .feed: "/feeds/{name}"
    case .record: "/feeds/{name}/records/{key}"
    case .image: "/images"
    case .imageFeed: "/v1/feed"
    case .comments: "/v1/image/{id}/comments"
    case .universities: "/search"
    case .characters: "/api/character"
    case .headlines: "/v2/top-headlines"
    case .health: "/healthz"
    case .readiness: "/readyz"
    case .metrics: "/metrics"
    case .description: "/openapi.json"
    }
  }

  /// Whether it requires no credentials. Process monitors have none.
  var isOpen: Bool { self == .health || self == .readiness }
}
