/// The resources of the API, by the templates of their paths. Templates are the paths of the router
/// and the names in metrics.
enum Route: String, CaseIterable, Sendable {
  case feeds = "/feeds"
  case feed = "/feeds/{name}"
  case schema = "/feeds/{name}/schema"
  case count = "/feeds/{name}/count"
  case distinct = "/feeds/{name}/distinct"
  case record = "/feeds/{name}/records/{key}"
  case image = "/images"
  case imageFeed = "/v1/feed"
  case comments = "/v1/image/{id}/comments"
  case universities = "/search"
  case characters = "/api/character"
  case headlines = "/v2/top-headlines"
  case health = "/healthz"
  case readiness = "/readyz"
  case metrics = "/metrics"
  case description = "/openapi.json"

  /// The parameters of its query; nil if it ignores all of them.
  var parameters: [String]? {
    switch self {
    case .feeds, .schema, .comments: []
    case .feed: ["cursor", "fields", "format", "limit", "offset", "sort", "where"]
    case .count: ["where"]
    case .distinct: ["limit", "path", "where"]
    case .record: ["all", "pointer"]
    case .image: ["url"]
    case .imageFeed: ["after_id", "limit"]
    case .universities: ["country", "domain", "limit", "name", "name_contains", "offset"]
    case .characters: ["name", "page", "species", "status"]
    case .headlines: ["page", "pageSize", "q", "sources"]
    case .health, .readiness, .metrics, .description: nil
    }
  }

  /// The parameters that a request may repeat.
  static let repeatedParameters: Set<String> = ["sort", "where"]

  /// Whether it is a path of an app. Their services accept parameters that they do not know.
  var isOfApp: Bool {
    switch self {
    case .imageFeed, .comments, .universities, .characters, .headlines: true
    default: false
    }
  }

  /// Whether it requires no credentials. Process monitors have none.
  var isOpen: Bool { self == .health || self == .readiness }

  /// The paths of the router for the resource: its template, and those of a record whose key is
  /// empty or has several parts.
  var paths: [String] {
    self == .record ? [rawValue, "/feeds/{name}/records", rawValue + "/**"] : [rawValue]
  }

  /// The route of one of the router's paths.
  init?(path: String) {
    guard let route = Route(rawValue: path) ?? (Self.record.paths.contains(path) ? .record : nil)
    else { return nil }
    self = route
  }

  /// The name of the feed and the parts of the record's key if the path is that of a record.
  static func record(_ segments: [String]) -> (name: String, key: [String])? {
    guard segments.count >= 4, segments[0] == "feeds", segments[2] == "records",
      !segments[1].isEmpty
    else { return nil }
    return (segments[1], Array(segments[3...]))
  }
}
