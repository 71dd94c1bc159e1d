import FeedCore
import FeedStorage
import Foundation

/// Records that can be recognized anywhere. The contents of a record follow from its number, the
/// tag of its batch and the size of the batch.
struct KnownRecords: Hashable, Sendable, CustomStringConvertible {
  /// The keys that occur once in each batch.
  static let keys = ["first", "middle", "last"]

  let tag: Int
  let count: Int
  /// Bytes of text in each record in addition to its names.
  let padding: Int
  /// Whether the records belong to a document without a contract.
  let isDocument: Bool

  init(tag: Int, count: Int, padding: Int = 40, isDocument: Bool = false) {
    precondition(count >= 3)
    self.tag = tag
    self.count = count
    self.padding = padding
    self.isDocument = isDocument
  }

  private static let documentWord = "document"

  /// `tag:count:padding`, and `:document` for a document
  var description: String {
    "\(tag):\(count):\(padding)" + (isDocument ? ":" + Self.documentWord : "")
  }

  init?(_ text: some StringProtocol) {
    var words = text.split(separator: ":")
    let isDocument = words.last.map { $0 == Self.documentWord } ?? false
    if isDocument { words.removeLast() }
    let numbers = words.compactMap { Int($0) }
    guard words.count == 3, numbers.count == 3, numbers[1] >= 3, numbers[2] >= 0 else {
      return nil
    }
    self.init(tag: numbers[0], count: numbers[1], padding: numbers[2], isDocument: isDocument)
  }

  /// The batch that a record names, and the number of the record in it.
  static func place(of record: University) -> (batch: KnownRecords, number: Int)? {
    guard let batch = KnownRecords(record.country),
      let number = record.stateProvince.flatMap(Int.init)
    else { return nil }
    return (batch, number)
  }

  /// The batch and the number that a record of a document names.
  static func place(of record: JSONValue) -> (batch: KnownRecords, number: Int)? {
    guard let batch = record["batch"]?.string.flatMap({ KnownRecords($0) }),
      let number = record["number"]?.integer
    else { return nil }
    return (batch, Int(number))
  }

  func record(_ number: Int) -> University {
    University(
      name: name(number), country: description, alphaTwoCode: "XX", stateProvince: "\(number)",
      webPages: [text(number)], domains: [])
  }

  /// The record of a document.
  func json(_ number: Int) -> String {
    #"{"name":"\#(name(number))","batch":"\#(self)","number":\#(number),"text":"\#(text(number))"}"#
  }

  /// A text with the length of the padding that distinguishes the record from others.
  private func text(_ number: Int) -> String {
    String(String(repeating: "\(tag)-\(number) ", count: padding / 8 + 1).prefix(padding))
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

  /// The text before and after the records of a document. It is unique to the batch, and long
  /// enough that a store keeps it in several parts.
  var envelope: (before: String, after: String) {
    let (before, after) = ("\(self) before,", "\(self) after,")
    return (
      #"{"before":"\#(String(repeating: before, count: 3_000))","items":["#,
      #"],"after":"\#(String(repeating: after, count: 1_000))"}"#
    )
  }

  /// The options of `feedcore ingest` for a batch.
  var words: [String] {
    isDocument ? ["--kind", "json", "--records", "/items", "--key", "name"] : []
  }

  /// Sets the same options for an ingest in this process.
  func describe(to options: inout IngestOptions) {
    guard isDocument else { return }
    options.form = .document
    options.records = "/items"
    options.key = ["name"]
  }

  /// Writes the batch as one document, or as NDJSON.
  func write(to path: String) throws {
    var text = ""
    text.reserveCapacity(count * (padding + 160))
    if isDocument {
      let records = (0..<count).map(json).joined(separator: ",")
      text = envelope.before + records + envelope.after
      return try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
    for number in 0..<count {
      let record = record(number)
      text += #"{"name":"\#(record.name)","domains":[],"web_pages":["\#(record.webPages[0])"],"#
      text += #""country":"\#(record.country)","alpha_two_code":"XX","#
      text += #""state-province":"\#(number)"}"# + "\n"
    }
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }
}
