import FeedTools
import JSONStream

extension JSONLine {
  /// A number below 10^9 with this number of decimals.
  mutating func add(_ key: String, _ value: Double?, decimals: Int) {
    guard let value, value.magnitude <= 1e9 else { return add(key, json: "null".utf8) }
    add(key, json: ReadableNumber.fixed(value, decimals: decimals).utf8)
  }
}
