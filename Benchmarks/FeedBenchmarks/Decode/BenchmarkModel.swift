import FeedCore

/// A model that all who decode can make.
protocol BenchmarkModel: PayloadModel, Decodable {
  /// Takes what `JSONSerialization` has made of a record; nil where something is missing.
  init?(object: [String: Any])

  /// The UTF-8 bytes of some of its texts, by which models are compared.
  var textBytes: Int { get }
}

extension Array where Element: BenchmarkModel {
  /// How many there are, and how long their texts.
  var proof: Proof {
    Proof(records: count, sum: reduce(into: 0) { $0 += UInt64($1.textBytes) })
  }
}
