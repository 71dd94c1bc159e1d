import FeedCore
import Foundation

/// Records that are known again wherever they turn up: all of a record follows from its number, the
/// tag of its batch and the batch's size.
struct KnownRecords: Hashable, Sendable, CustomStringConvertible {
  /// The keys that stand in each batch once.
  static let keys = ["first", "middle", "last"]

  let tag: Int
  let count: Int
  /// Bytes of text in each record beside its names.
  let padding: Int

  init(tag: Int, count: Int, padding: Int = 40) {
    precondition(count >= 3)
    self.tag = tag
    self.count = count
    self.padding = padding
  }

  /// `tag:count:padding`
  var description: String { "\(tag):\(count):\(padding)" }

  init?(_ text: some StringProtocol) {
    let numbers = text.split(separator: ":").compactMap { Int($0) }
    guard numbers.count == 3, numbers[1] >= 3, numbers[2] >= 0 else { return nil }
    self.init(tag: numbers[0], count: numbers[1], padding: numbers[2])
  }

  /// The batch that a record says it is of, with its number in it.
  static func place(of record: University) -> (batch: KnownRecords, number: Int)? {
    guard let batch = KnownRecords(record.country),
      let number = record.stateProvince.flatMap(Int.init)
    else { return nil }
    return (batch, number)
  }

  func record(_ number: Int) -> University {
    // Long enough, and not the same in two records that might be taken for each other.
    let text = String(repeating: "\(tag)-\(number) ", count: padding / 8 + 1).prefix(padding)
    return University(
      name: name(number), country: description, alphaTwoCode: "XX", stateProvince: "\(number)",
      webPages: [String(text)], domains: [])
  }

  private func name(_ number: Int) -> String {
    switch number {
    case 0: Self.keys[0]
    case count / 2: Self.keys[1]
    case count - 1: Self.keys[2]
    default: "record \(number)"
    }
  }

  /// The number of the record with one of ``keys``.
  func number(of key: String) -> Int {
    key == Self.keys[0] ? 0 : key == Self.keys[1] ? count / 2 : count - 1
  }

  /// Writes the batch as NDJSON.
  func write(to path: String) throws {
    var text = ""
    text.reserveCapacity(count * (padding + 160))
    for number in 0..<count {
      let record = record(number)
      text += #"{"name":"\#(record.name)","domains":[],"web_pages":["\#(record.webPages[0])"],"#
      text += #""country":"\#(record.country)","alpha_two_code":"XX","#
      text += #""state-province":"\#(number)"}"# + "\n"
    }
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }
}
