import FeedSchema
import FeedStorage
import Foundation
import TestSupport
import Testing

@Suite("The schema of a feed after appends")
struct AppendedStatisticsTests {
  /// The schema without the places of the first values, which depend on the order of ingests.
  private func schema(_ feed: Feed) -> String {
    String(decoding: feed.description.schemaText, as: UTF8.self)
      .replacing(/,"first":[0-9]+/, with: "")
  }

  /// A feed of the first part, to which the other parts are appended.
  private func feed(of parts: [ArraySlice<String>]) throws -> Feed {
    let documents = try DocumentStore(inMemory: true)
    for (index, part) in parts.enumerated() {
      try documents.ingest(part.joined(separator: "\n")) {
        if index == 0 { $0.key = ["id"] } else { $0.appends = true }
      }
    }
    return try documents.database.existingFeed(named: FeedName("feed"))
  }

  @Test("does not count duplicate records", arguments: 0..<UInt64(12))
  func union(seed: UInt64) throws {
    var maker = QueryMaker(seed: seed)
    var records = (0..<60).map { number in
      #"{"id":\#(number),"value":\#(maker.texts(of: maker.record(number)).compact)}"#
    }
    // The schema describes keys that are data collectively.
    records += (0..<30).map { number in
      let keys = (0..<10).map { #""k\#(number * 10 + $0)":{"v":\#($0)}"# }
      return #"{"id":"map\#(number)","map":{\#(keys.joined(separator: ","))}}"#
    }
    let count = maker.number(in: 1..<records.count)
    let (first, rest) = (records[..<count], records[count...])
    let overlapping = try feed(of: [first, records[...], records[...]])
    let apart = try feed(of: [first, rest])
    #expect(overlapping.description.recordCount == records.count)
    #expect(schema(overlapping) == schema(apart))
  }
}
