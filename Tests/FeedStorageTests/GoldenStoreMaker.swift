import FeedSchema
import FeedStorage
import Foundation
import TestSupport

/// Creates a golden store with the current code.
struct GoldenStoreMaker {
  private let database: FeedDatabase
  private let payloads: String
  private var count = 0

  /// - Parameter payloads: the prefix of the names of payload files: a directory and a slash, or
  ///   nothing. A store records the path from which a feed was ingested.
  init(_ store: String, payloads: String) throws {
    var options = FeedDatabase.Options()
    // Otherwise an append leaves one segment, and no index is merged.
    options.smallFeedBytes = 0
    options.indexPairs = 16
    database = try FeedDatabase.open(at: store, options: options)
    self.payloads = payloads
  }

  /// Makes the store of this version.
  mutating func make() throws {
    for kind in ["universities", "news", "feed", "feed"] {
      try ingest("\(kind).json", try example(kind), into: kind)
    }
    try ingest("deleted.json", try example("universities"), into: "deleted")
    _ = try database.delete(FeedName("deleted"))
    for number in 10..<40 {
      try ingest("small.ndjson", university("University \(number)"), into: "small-\(number)")
    }
    try ingest("page-1.json", page(1, ["Rick", "Morty"]), into: "characters")
    try ingest("page-2.json", page(2, ["Morty", "Summer"]), into: "characters", appends: true)
    let long = String(repeating: "0123456789", count: 7_000)
    try ingest("comments.json", comments(["short", long, "ü \u{1}\"\\ 😍"]), into: "comments")
    try ingest("readings.json", Readings.document, into: "readings", as: Readings.schema)
  }

  private mutating func ingest(
    _ name: String, _ text: String, into feed: String, as schema: PayloadSchema? = nil,
    appends: Bool = false
  ) throws {
    try Data(text.utf8).write(to: URL(filePath: payloads + name))
    var options = IngestOptions()
    options.feed = try FeedName(feed)
    options.schema = schema
    options.appends = appends
    count += 1
    options.referenceSeconds = Double(count) * 86_400.125
    _ = try database.ingest([payloads + name], options: options)
  }

  private func example(_ kind: String) throws -> String {
    try String(
      contentsOf: GoldenStore.root.appending(path: "Examples/\(kind).json"), encoding: .utf8)
  }

  private func university(_ name: String) -> String {
    #"{"name":"\#(name)","web_pages":[],"country":"C","alpha_two_code":"XX"}"#
  }

  private func page(_ number: Int, _ names: [String]) -> String {
    let results = names.map { name in
      #"{"name":"\#(name)","status":"Alive","species":"Human","image":"https://example.com/a.png"}"#
    }
    return #"{"info":{"page":\#(number)},"results":[\#(results.joined(separator: ","))]}"#
  }

  private func comments(_ messages: [String]) throws -> String {
    let items = try messages.enumerated().map { index, message in
      let text = String(decoding: try JSONEncoder().encode(message), as: UTF8.self)
      return #"{"id":"00000000-0000-0000-0000-00000000000\#(index)","message":\#(text),"#
        + #""created_at":"2020-05-20T11:24:59.\#(index)Z","author":{"username":"ä"}}"#
    }
    return #"{"items":[\#(items.joined(separator: ","))]}"#
  }

  /// Copies the data file in its current state and records its contents.
  func write(to directory: String) throws {
    let manager = FileManager.default
    try? manager.removeItem(atPath: directory)
    try manager.createDirectory(
      atPath: directory + "/feeds", withIntermediateDirectories: true)
    try manager.copyItem(
      atPath: database.directory + "/feeds/data.mdb", toPath: directory + "/feeds/data.mdb")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var list = Data()
    for feed in try database.feeds() {
      list += try encoder.encode(GoldenStore.Feed(feed)) + [0x0A]
    }
    try list.write(to: URL(filePath: directory + "/feeds.ndjson"))
    let records = try GoldenStore.records(of: database)
    try Data(records.utf8).write(to: URL(filePath: directory + "/records.ndjson"))
  }
}
