import FeedCore

/// A model that every decoder in the contests can make.
protocol BenchmarkModel: PayloadModel, Decodable {
  /// Makes a model of a record from `JSONSerialization`; nil if a value is missing.
  init?(object: [String: Any])

  /// The number of UTF-8 bytes of some strings. Contests compare models by it.
  var textBytes: Int { get }
}

extension Array where Element: BenchmarkModel {
  /// The number of models and the length of their strings.
  var proof: Proof {
    Proof(records: count, sum: reduce(into: 0) { $0 += UInt64($1.textBytes) })
  }
}
