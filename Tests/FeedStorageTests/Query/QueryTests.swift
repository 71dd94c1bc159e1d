import FeedSchema
import FeedStorage
import JSONStream
import Synchronization
import TestSupport
import Testing

@Suite("Queries of feeds")
struct QueryTests {
  private let documents: DocumentStore

  init() throws { documents = try DocumentStore(inMemory: true) }

  private func feed(indexes: [String] = []) throws -> Feed {
    try documents.ingest(
      #"[{"id":1,"type":"a","n":3},{"id":2,"type":"b","n":1.0},{"id":3,"type":"a","n":"x"},{"id":4}]"#
    ) {
      $0.key = ["id"]
      $0.indexedFields = indexes
    }
  }

  private func positions(_ feed: Feed, _ query: FeedQuery) throws -> [Int] {
    var positions: [Int] = []
    try feed.forEachRecord(matching: query) { _, position in positions.append(position) }
    return positions
  }

  @Test("records come in the order of the feed, from an offset, up to a limit")
  func pages() throws {
    let feed = try feed()
    #expect(try positions(feed, FeedQuery()) == [0, 1, 2, 3])
    #expect(try positions(feed, FeedQuery(offset: 1, limit: 2)) == [1, 2])
    #expect(try positions(feed, FeedQuery(where: ["type=a"], offset: 1)) == [2])
    #expect(try positions(feed, FeedQuery(where: ["type=a", "n=3"])) == [0])
    #expect(try positions(feed, FeedQuery(limit: 0)) == [])
  }

  @Test("equality uses an index if the index has all values, and the result is the same")
  func indexes() throws {
    let feed = try feed(indexes: ["type"])
    func plan(_ condition: String) throws -> String {
      try CompiledQuery(FeedQuery(where: [condition]), for: feed).plan.text
    }
    #expect(try plan("type=a") == "index of type")
    #expect(try plan("id in 1,3") == "index of id")
    #expect(try plan("type!=a") == "scan")
    #expect(try plan("n=3") == "scan")
    #expect(try positions(feed, FeedQuery(where: ["type in b,a"])) == [0, 1, 2])
    #expect(try positions(feed, FeedQuery(where: ["id=1.0"])) == [0])
    #expect(try positions(feed, FeedQuery(where: [#"id="1""#])) == [])
  }

  @Test("a UUID of a contract is found in upper or lower case, and another text finds nothing")
  func uuids() throws {
    let id = "2AB2AE66-A4B7-4A16-B374-51BBAC8DB086"
    let feed = try documents.ingest(#"{"items":[{"id":"\#(id)","image":"https://e.com/1.jpg"}]}"#) {
      $0.form = .automatic
    }
    #expect(feed.schema.document == nil)
    #expect(try positions(feed, FeedQuery(where: ["id = '\(id.lowercased())'"])) == [0])
    for text in [#""'x""#, "'=x'", "'''x'"] {
      #expect(try positions(feed, FeedQuery(where: ["id = \(text)"])) == [])
    }
  }

  @Test("an index of documents is not used for a field that has arrays")
  func arrays() throws {
    let feed = try documents.ingest(#"[{"id":1,"tags":["x"]},{"id":2,"tags":"x"}]"#) {
      $0.indexedFields = ["tags"]
    }
    #expect(try positions(feed, FeedQuery(where: ["tags=x"])) == [0, 1])
  }

  @Test("a query for null scans all records, because no index contains null")
  func nulls() throws {
    let feed = try documents.ingest(
      #"[{"id":1,"a":null},{"id":2,"a":"null"},{"id":3},{"id":4,"a":1}]"#
    ) {
      $0.key = ["id"]
      $0.indexedFields = ["a"]
    }
    #expect(try positions(feed, FeedQuery(where: ["a=null"])) == [0, 1])
    #expect(try positions(feed, FeedQuery(where: ["a in 1,null"])) == [0, 1, 3])
    #expect(try positions(feed, FeedQuery(where: [#"a="null""#])) == [1])
  }

  @Test("values are sorted in the order of jq, and equal values in the order of the feed")
  func sorting() throws {
    let feed = try feed()
    #expect(try positions(feed, FeedQuery(sort: ["n"], limit: 4)) == [3, 1, 0, 2])
    #expect(try positions(feed, FeedQuery(sort: ["-n"], limit: 4)) == [2, 0, 1, 3])
    #expect(try positions(feed, FeedQuery(sort: ["type", "-id"], limit: 4)) == [3, 2, 0, 1])
    #expect(try positions(feed, FeedQuery(sort: ["-id"], offset: 1, limit: 2)) == [2, 1])
  }

  @Test("an unbounded or invalid sort is refused")
  func unboundedSort() throws {
    let feed = try feed()
    for query in [
      FeedQuery(sort: ["n"]), FeedQuery(sort: ["n"], limit: 100_001),
      FeedQuery(sort: ["n"], offset: .max, limit: 1), FeedQuery(sort: ["n[].m"], limit: 1),
      FeedQuery(sort: Array(repeating: "n", count: 33), limit: 1),
    ] {
      #expect(throws: QueryError.self) { try feed.forEachRecord(matching: query) { _, _ in } }
    }
  }

  @Test("several threads count, sort and collect the same as one thread")
  func threads() throws {
    let records = (0..<20_000).map { #"{"id":\#($0),"n":\#($0 * 7919 % 1000)}"# }
    let feed = try documents.ingest("[" + records.joined(separator: ",") + "]")
    let query = FeedQuery(where: ["n >= 500"], sort: ["n", "-id"], limit: 50)
    let compiled = try CompiledQuery(query, for: feed)
    func results(_ threads: Int) throws -> ([Int], Int, [Int]) {
      let limits = QueryLimits(threads: threads)
      var positions: [Int] = []
      try feed.forEachMatch(of: compiled, limits) { _, position, _ throws(StoreError) in
        positions.append(position)
        return true
      }
      let distinct = try feed.distinctValues(JSONPath("n"), of: compiled, limits)
      return (positions, try feed.count(of: compiled, limits), distinct.ranked().map(\.count))
    }
    let one = try results(1)
    let three = try results(3)
    #expect(one == three)
    #expect(one.1 == 10_000)
    #expect(one.2 == Array(repeating: 20, count: 500))
  }

  @Test("a query ends at its limits")
  func limits() throws {
    let records = (0..<5_000).map { #"{"id":\#($0)}"# }
    let feed = try documents.ingest("[" + records.joined(separator: ",") + "]")
    let query = try CompiledQuery(FeedQuery(where: ["id < 0"]), for: feed)
    for limits in [
      QueryLimits(deadline: .now), QueryLimits(maximumBytes: 1_000),
    ] {
      let error = #expect(throws: StoreError.self) { try feed.count(of: query, limits) }
      #expect(error?.code == .limitExceeded)
    }
    let error = #expect(throws: StoreError.self) {
      try feed.count(of: query, QueryLimits(isCancelled: { true }))
    }
    #expect(error?.code == .cancelled)
  }

  @Test("a query pauses between records, so that a server can run other work")
  func pauses() throws {
    let text = String(repeating: "x", count: 1_000)
    let records = (0..<2_000).map { #"{"id":\#($0),"text":"\#(text)"}"# }
    let feed = try documents.ingest("[" + records.joined(separator: ",") + "]")
    let count = Atomic(0)
    let limits = QueryLimits(pause: { _ = count.add(1, ordering: .relaxed) })
    let query = try CompiledQuery(FeedQuery(where: ["id < 0"]), for: feed)
    #expect(try feed.count(of: query, limits) == 0)
    let most = 2_000 * 1_100 / QueryLimits.pauseBytes
    #expect((most / 2...most).contains(count.load(ordering: .relaxed)))
  }

  @Test("records of a contract are queried by the paths of their JSON")
  func contracts() throws {
    let id = "A89B2C47-C7FB-4F0E-9E7B-9D8F2F2B4E10"
    let feed = try documents.ingest(
      #"{"items":[{"id":"\#(id)","image":"https://a.test/b.png"}]}"#
    ) {
      $0.form = .automatic
    }
    #expect(feed.schema.document == nil)
    #expect(try positions(feed, FeedQuery(where: ["id=\(id.lowercased())"])) == [0])
    #expect(try positions(feed, FeedQuery(where: ["image ~ B.PNG"])) == [0])
  }

  @Test("a CSV line is not empty, even if its only value is null or absent")
  func emptyLines() throws {
    let lines = DelimitedText(.commas, try QueryFields("a"))
    var text: [UInt8] = []
    lines.appendHeader(to: &text)
    for record in [#"{"a":1}"#, #"{"a":null}"#, "{}", #"{"a":"x,\"y\""}"#] {
      lines.append(Array(record.utf8).span.bytes, to: &text)
    }
    let expected = "a\r\n1\r\n\"\"\r\n\"\"\r\n\"x,\"\"y\"\"\"\r\n"
    #expect(String(decoding: text, as: UTF8.self) == expected)
  }
}
