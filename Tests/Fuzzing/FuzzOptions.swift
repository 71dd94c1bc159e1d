import Foundation

/// The options of the command line.
struct FuzzOptions: Sendable {
  /// Documents to make at most; the first has the number `first`.
  var documents: Int?
  /// Records to make at least, in documents of many records.
  var records = 1_000_000
  var first = 0
  var seed: UInt64 = 1
  /// Seconds after which the run stops at the latest.
  var seconds = Double.infinity
  var workers = ProcessInfo.processInfo.activeProcessorCount
  /// Differences that each worker prints at most; the others are only counted.
  var reports = 20
  /// The directory of more seed documents.
  var seedDirectory: String?
  /// The arguments that are not options.
  var rest: [String] = []

  /// Nil if an option is unknown or lacks its value.
  init?(_ words: some Sequence<String>) {
    var words = words.makeIterator()
    while let word = words.next() {
      guard word.hasPrefix("--") else {
        rest.append(word)
        continue
      }
      guard let value = words.next(), take(word, value) else { return nil }
    }
  }

  private mutating func take(_ option: String, _ value: String) -> Bool {
    switch option {
    case "--documents": set(\.documents, Int(value).flatMap { $0 >= 0 ? $0 : nil })
    case "--records": set(\.records, Int(value).flatMap { $0 >= 0 ? $0 : nil })
    case "--first": set(\.first, Int(value).flatMap { $0 >= 0 ? $0 : nil })
    case "--seed": set(\.seed, UInt64(value))
    case "--seconds": set(\.seconds, Double(value))
    case "--workers": set(\.workers, Int(value).flatMap { $0 > 0 ? $0 : nil })
    case "--reports": set(\.reports, Int(value))
    case "--seeds": set(\.seedDirectory, .some(value))
    default: false
    }
  }

  private mutating func set<Value>(_ path: WritableKeyPath<Self, Value>, _ value: Value?) -> Bool {
    guard let value else { return false }
    self[keyPath: path] = value
    return true
  }
}
