import FeedCore
import TestSupport

/// A record of the model.
struct ModelRecord: Hashable {
  var key: String
  var value: String

  var line: String {
    #"{"name":"\#(key)","web_pages":["\#(value)"],"country":"C","alpha_two_code":"XX"}"# + "\n"
  }

  init(key: String, value: String) {
    self.key = key
    self.value = value
  }

  init(_ university: University) {
    self.init(key: university.name, value: university.webPages.first ?? "")
  }

  /// Keys and values are few, so that records share their keys and have duplicates.
  static func random(_ count: Int, _ random: inout SeededGenerator) -> [ModelRecord] {
    (0..<count).map { _ in
      var value = "value \(Int.random(in: 0..<4, using: &random))"
      if Int.random(in: 0..<1_000, using: &random) == 0 {
        // This record has its own block, with wide offsets.
        value = String(repeating: value, count: 10_000)
      }
      return ModelRecord(key: randomKey(&random), value: value)
    }
  }

  static func randomKey(_ random: inout SeededGenerator) -> String {
    "key \(Int.random(in: 0..<200, using: &random))"
  }
}
