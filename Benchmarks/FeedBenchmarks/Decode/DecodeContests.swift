import FeedCore
import Foundation

/// Decodes a minified document of each kind into an array of Swift models.
enum DecodeContests {
  static func register() {
    register(University.self, .universities)
    register(Article.self, .news)
    register(FeedImage.self, .feed)
    register(ImageComment.self, .comments)
    register(SeriesCharacter.self, .characters)
  }

  private static func register<Model: BenchmarkModel>(_ type: Model.Type, _ kind: PayloadKind) {
    let (bytes, rounds) = Suite.sized(ci: (500_000, 2), full: (16_000_000, 3))
    Contest<Document>(
      group: .decode, name: "\(kind.title) into models", rounds: rounds,
      ours: [.models(type, lanes: 1), .models(type, lanes: nil)],
      peers: [.jsonDecoder(type), .jsonSerialization(type)],
      makeArena: { try Document(kind, .minified, bytes: bytes) },
      yardstick: { .rate(records: $0.records) },
      expectation: { Proof(records: $0.records) }
    ).register()
  }
}

extension Contestant where Arena == Document {
  fileprivate static func models<Model: BenchmarkModel>(
    _ type: Model.Type, lanes: Int?
  ) -> Contestant {
    Contestant(lanes == 1 ? "FeedCore, one lane" : "FeedCore, all lanes") { document in
      var parser = PayloadParser()
      if let lanes { parser.options.lanes = lanes }
      var models: [Model] = []
      try parser.forEachBatch(in: document.path) { models += try $0.models(type) }
      return models.proof
    }
  }

  fileprivate static func jsonDecoder<Model: BenchmarkModel>(_ type: Model.Type) -> Contestant {
    Contestant("JSONDecoder") { document in
      let data = try Data(contentsOf: URL(fileURLWithPath: document.path))
      return try DecodedModels.models(type, in: data, of: document).proof
    }
  }

  /// Makes dictionaries first, and models of them by hand.
  fileprivate static func jsonSerialization<Model: BenchmarkModel>(
    _ type: Model.Type
  ) -> Contestant {
    Contestant("JSONSerialization") { document in
      let data = try Data(contentsOf: URL(fileURLWithPath: document.path))
      return try DecodedObjects.all(in: data, of: document)
        .compactMap { ($0 as? [String: Any]).flatMap(Model.init(object:)) }.proof
    }
  }
}
