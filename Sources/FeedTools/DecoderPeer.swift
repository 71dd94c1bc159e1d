import FeedFeature
import FeedSchema
import Foundation

/// The peer of a Swift program without FeedCore: it reads the whole file and decodes it with
/// `JSONDecoder` into an array of structs.
struct DecoderPeer {
  private struct Items<Item: Decodable>: Decodable { var items: [Item] }
  private struct Results<Item: Decodable>: Decodable { var results: [Item] }
  private struct Articles<Item: Decodable>: Decodable { var articles: [Item] }

  let path: String
  let isLines: Bool

  /// The speed in megabytes (10^6 bytes) per second, the better of two runs; nil for a kind without
  /// a struct, or if the decoder rejects the file.
  func speed(of schema: PayloadSchema) -> Double? {
    switch schema.name {
    case "universities": speed([University].self, University.self)
    case "feed": speed(Items<FeedImage>.self, FeedImage.self)
    case "comments": speed(Items<ImageComment>.self, ImageComment.self)
    case "characters": speed(Results<SeriesCharacter>.self, SeriesCharacter.self)
    case "news": speed(Articles<Article>.self, Article.self)
    default: nil
    }
  }

  private func speed<Document: Decodable, Item: Decodable>(
    _ document: Document.Type, _ item: Item.Type
  ) -> Double? {
    var best: Double?
    for _ in 0..<2 {
      var bytes: Int?
      let seconds = ParseBenchmark.seconds {
        bytes = isLines ? try? decodeLines(item) : try? decode(document)
      }
      guard let bytes else { return nil }
      best = max(best ?? 0, Double(bytes) / seconds / 1e6)
    }
    return best
  }

  private func decode<Document: Decodable>(_ document: Document.Type) throws -> Int {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    _ = try Self.decoder.decode(document, from: data)
    return data.count
  }

  private func decodeLines<Item: Decodable>(_ item: Item.Type) throws -> Int {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    var items: [Item] = []
    for line in data.split(separator: 0x0A) {
      items.append(try Self.decoder.decode(item, from: line))
    }
    return data.count
  }

  private static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }
}
