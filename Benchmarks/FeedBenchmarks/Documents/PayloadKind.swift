import Samples

/// The five kinds of payload.
enum PayloadKind: String, CaseIterable {
  case universities
  case news
  case feed
  case comments
  case characters

  /// The name in the tables.
  var title: String { self == .feed ? "image feed" : rawValue }

  var sample: SamplePayload.Kind {
    switch self {
    case .universities: .universities
    case .news: .news
    case .feed: .feed
    case .comments: .comments
    case .characters: .characters
    }
  }

  /// The key of the records' array; nil if the document is the array.
  var recordsKey: String? {
    switch self {
    case .universities: nil
    case .news: "articles"
    case .feed, .comments: "items"
    case .characters: "results"
    }
  }
}
