import FeedFeature
import FeedPresentation
import Foundation

/// The fixed time of the tests: Wednesday, 20 May 2020, 18:40 in UTC.
let now = Date(timeIntervalSince1970: 1_590_000_000)

/// A time some days and seconds ago, by the calendar of the cache policies.
func ago(days: Int, seconds: TimeInterval = 0) -> Date {
  let calendar = Calendar(identifier: .gregorian)
  return (calendar.date(byAdding: .day, value: -days, to: now) ?? .distantPast) - seconds
}

func gregorian(_ timeZone: TimeZone = .gmt) -> Calendar {
  var calendar = Calendar(identifier: .gregorian)
  calendar.timeZone = timeZone
  return calendar
}

let english = FeedText(language: .english)

/// The errors of services.
enum ServiceError: Error, CaseIterable {
  case connectivity, invalidData

  var failure: LoadFailure {
    switch self {
    case .connectivity: .connectivity
    case .invalidData: .invalidData
    }
  }

  var message: String { english.message(for: failure) }
}

/// Texts for the errors of services.
let failures = failureTexts(in: english)

func failureTexts(in text: FeedText) -> FailureTexts {
  FailureTexts(text) { ($0 as? ServiceError)?.failure ?? LoadFailure($0) }
}

/// A service that can or cannot be reached.
struct Service<Item: Sendable>: FeedLoader {
  var result: Result<[Item], ServiceError>
  func load() async throws -> [Item] { try result.get() }
}

struct ImageService: FeedImageDataLoader {
  let pending = PendingLoader<Data>()
  func loadImageData(from url: URL) async throws -> Data { try await pending.load() }
}

enum Samples {
  static let base = URL(filePath: "/samples")

  static func url(_ name: String) -> URL { base.appending(path: name) }

  static func image(
    _ number: UInt8, description: String? = "A pier", location: String? = "Brighton"
  ) -> FeedImage {
    FeedImage(
      id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)),
      description: description, location: location, url: url("image\(number)"))
  }

  static let images = (1...3).map { image($0) }

  static func comment(_ message: String, at date: Date) -> ImageComment {
    ImageComment(id: image(1).id, message: message, createdAt: date, username: "ada")
  }

  static func article(
    publishedAt date: Date, url: URL = Samples.url("article"), isWhole: Bool = true
  ) -> Article {
    Article(
      source: Source(name: "Reuters"), author: isWhole ? "A. Writer" : nil, title: "Headline",
      description: isWhole ? "In short" : nil, url: url,
      urlToImage: isWhole ? Samples.url("picture") : nil, publishedAt: date,
      content: isWhole ? "At length" : nil)
  }

  static let university = University(
    name: "Technical University of Crete", country: "Greece", alphaTwoCode: "GR",
    stateProvince: "Chania", webPages: ["https://www.tuc.gr/", "javascript:alert(1)", "tuc"],
    domains: ["tuc.gr", "crete.example"])

  static let character = SeriesCharacter(
    name: "Rick Sanchez", status: "Alive", species: "Human", image: url("rick"))
}
