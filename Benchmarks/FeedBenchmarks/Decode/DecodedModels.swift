import FeedCore
import Foundation

/// The models that `JSONDecoder` makes of a document.
enum DecodedModels {
  private struct Items<Item: Decodable>: Decodable { var items: [Item] }
  private struct Results<Item: Decodable>: Decodable { var results: [Item] }
  private struct Articles<Item: Decodable>: Decodable { var articles: [Item] }

  /// Decodes all models and returns their number.
  static func count(in data: Data, of document: Document) throws -> Int {
    switch document.kind {
    case .universities: try models(University.self, in: data, of: document).count
    case .news: try models(Article.self, in: data, of: document).count
    case .feed: try models(FeedImage.self, in: data, of: document).count
    case .comments: try models(ImageComment.self, in: data, of: document).count
    case .characters: try models(SeriesCharacter.self, in: data, of: document).count
    }
  }

  static func models<Model: Decodable>(
    _ type: Model.Type, in data: Data, of document: Document
  ) throws -> [Model] {
    let decoder = decoder
    if document.isLines {
      return try data.split(separator: 0x0A).map { try decoder.decode(type, from: $0) }
    }
    switch document.kind {
    case .universities: return try decoder.decode([Model].self, from: data)
    case .news: return try decoder.decode(Articles<Model>.self, from: data).articles
    case .feed, .comments: return try decoder.decode(Items<Model>.self, from: data).items
    case .characters: return try decoder.decode(Results<Model>.self, from: data).results
    }
  }

  private static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }
}
