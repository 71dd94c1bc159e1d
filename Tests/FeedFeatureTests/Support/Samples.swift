import FeedFeature
import Foundation

/// Some items of each kind.
enum Samples {
  static let base = URL(filePath: "/samples")

  static func url(_ name: String) -> URL { base.appending(path: name) }

  static let universities = (1...4).map { number in
    University(
      name: "University \(number)", country: "Country", alphaTwoCode: "CO",
      stateProvince: number.isMultiple(of: 2) ? nil : "Province", webPages: ["https://u\(number)/"])
  }

  static let images = (1...4).map { image($0) }

  static func image(_ number: Int) -> FeedImage {
    FeedImage(
      id: UUID(
        uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: number))),
      description: number.isMultiple(of: 2) ? nil : "Image \(number)",
      location: number.isMultiple(of: 3) ? nil : "Location", url: url("image\(number)"))
  }

  static let characters = (1...4).map { number in
    SeriesCharacter(
      name: "Character \(number)", status: "Alive", species: "Human",
      image: url("character\(number)"))
  }

  static let articles = (1...4).map { number in
    Article(
      source: Source(id: nil, name: "Source"), title: "Article \(number)",
      url: url("article\(number)"), publishedAt: now - Double(number))
  }

  static let comments = (1...4).map { number in
    ImageComment(
      id: image(number).id, message: "Comment \(number)", createdAt: now, username: "user")
  }

  /// The possible results of retrieving an image from a store.
  static let imageRetrievals: [Result<Data?, Failure>] = [
    .success(Data("image".utf8)), .success(nil), .failure(.retrieval),
  ]
}
