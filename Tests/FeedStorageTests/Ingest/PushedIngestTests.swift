import FeedSchema
import FeedStorage
import JSONStream
import TestSupport
import Testing

@Suite("Ingests of pushed bytes")
struct PushedIngestTests {
  private static let name = "feed"

  private static func document(_ count: Int) -> [UInt8] {
    let records = (0..<count).map {
      #"{"name":"University \#($0)","country":"Greece","alpha_two_code":"GR","web_pages":[]}"#
    }
    return Array(("[" + records.joined(separator: ",\n") + "]").utf8)
  }

  private static var options: IngestOptions {
    get throws {
      var options = IngestOptions()
      options.feed = try FeedName(name)
      options.validators = ResponseValidators(entityTag: #""v1""#, lastModified: "yesterday")
      return options
    }
  }

  private static func count(_ database: FeedDatabase) throws -> Int? {
    try database.feedDescription(named: FeedName(name))?.recordCount
  }

  @Test("chunks of any size become one feed", arguments: [1, 7, 4_096, 1 << 20])
  func chunks(size: Int) throws {
    let feed = try TestFeed()
    let bytes = Self.document(300)
    let push = feed.database.push(from: "https://example.com/all", options: try Self.options)
    for start in stride(from: 0, to: bytes.count, by: size) {
      try push.feed(bytes[start..<min(start + size, bytes.count)])
      #expect(try Self.count(feed.database) == nil, "nothing is seen before the end")
    }
    let report = try push.finish()
    #expect(report.records == 300 && report.bytes == bytes.count)
    #expect(try push.finish().feed == report.feed, "the ingest may be finished twice")
    let description = try #require(try feed.database.feedDescription(named: FeedName(Self.name)))
    #expect(description.recordCount == 300)
    #expect(description.origin == "https://example.com/all")
    #expect(
      description.validators == ResponseValidators(entityTag: #""v1""#, lastModified: "yesterday"))
  }

  @Test("several documents become one feed, whose envelope is that of the last one")
  func documents() throws {
    let feed = try TestFeed()
    var options = try Self.options
    options.schema = .characters
    let push = feed.database.push(from: "pages", options: options)
    let record = #"{"name":"N","status":"S","species":"H","image":"https://example.com/a.png"}"#
    var envelopes: [String?] = []
    for page in 1...3 {
      let text = #"{"info":{"page":\#(page)},"results":[\#(record)]}"#
      for byte in Array(text.utf8) { try push.feed([byte]) }
      envelopes.append(try push.endDocument().map { String(decoding: $0, as: UTF8.self) })
      #expect(try Self.count(feed.database) == nil, "nothing is seen before the end")
    }
    #expect(envelopes == (1...3).map { #"{"info":{"page":\#($0)},"results":[]}"# })
    let report = try push.finish()
    #expect(report.records == 3 && report.feed.recordCount == 3)
    #expect(String(decoding: report.feed.envelope, as: UTF8.self) == envelopes.last)
  }

  @Test("a document that ends too early is an error, and changes nothing")
  func cutDocument() throws {
    let feed = try TestFeed()
    let push = feed.database.push(from: "pages", options: try Self.options)
    try push.feed(Self.document(3))
    #expect(try push.endDocument() == nil)
    try push.feed(Self.document(3).dropLast())
    #expect(throws: IngestError.self) { try push.endDocument() }
    #expect(throws: IngestError.self) { try push.finish() }
    #expect(try Self.count(feed.database) == nil)
  }

  @Test("a fault is reported with its position on every call and changes nothing")
  func fault() throws {
    let feed = try TestFeed()
    let whole = feed.database.push(from: "good", options: try Self.options)
    try whole.feed(Self.document(3))
    try whole.finish()
    let push = feed.database.push(from: "bad", options: try Self.options)
    let bytes = Self.document(10)
    let bad = bytes.dropLast(40) + [0x01] + bytes.suffix(40)
    for _ in 0..<2 {
      let error = #expect(throws: IngestError.self) {
        try push.feed(bad)
        try push.finish()
      }
      #expect(error?.payload?.byteOffset == bytes.count - 40)
    }
    #expect(try Self.count(feed.database) == 3)
  }

  @Test(
    "an ingest that is cancelled, released or incomplete changes nothing and unlocks the feed")
  func givenUp() throws {
    let feed = try TestFeed()
    let bytes = Self.document(20)
    var push: IngestPush? = feed.database.push(from: "a", options: try Self.options)
    try push?.feed(bytes)
    push?.cancel()
    #expect(throws: IngestError.self) { try push?.finish() }
    push = feed.database.push(from: "b", options: try Self.options)
    try push?.feed(bytes)
    push = nil
    push = feed.database.push(from: "c", options: try Self.options)
    try push?.feed(bytes.dropLast())
    #expect(throws: IngestError.self) { try push?.finish() }
    #expect(try Self.count(feed.database) == nil)
    push = feed.database.push(from: "d", options: try Self.options)
    try push?.feed(bytes)
    try push?.finish()
    #expect(try Self.count(feed.database) == 20)
  }

  @Test("a body that arrives in chunks is published when it is complete")
  func body() async throws {
    let feed = try TestFeed()
    let bytes = Self.document(50_000)
    let chunks = stride(from: 0, to: bytes.count, by: 10_000).map {
      Array(bytes[$0..<min($0 + 10_000, bytes.count)])
    }
    let body = AsyncStream { continuation in
      for chunk in chunks { continuation.yield(chunk) }
      continuation.finish()
    }
    let report = try await feed.database.ingest(body, from: "body", options: try Self.options)
    #expect(report.records == 50_000 && report.feed.origin == "body")
  }

  private struct Dropped: Error {}

  @Test("a truncated body changes nothing, even if a complete document has arrived")
  func dropped() async throws {
    let feed = try TestFeed()
    let body = AsyncThrowingStream<[UInt8], any Error> { continuation in
      continuation.yield(Self.document(5))
      continuation.finish(throwing: Dropped())
    }
    await #expect(throws: Dropped.self) {
      try await feed.database.ingest(body, from: "body", options: try Self.options)
    }
    #expect(try Self.count(feed.database) == nil)
  }

  @Test("a fault in a body is thrown to the caller, and the feed is unlocked at once")
  func badBody() async throws {
    let feed = try TestFeed()
    let ingest = feed.database.bodyIngest(from: "body", options: try Self.options)
    await #expect(throws: IngestError.self) {
      try await ingest.feed(Array(#"[{"name":1},]"#.utf8))
      try await ingest.finish()
    }
    let next = feed.database.bodyIngest(from: "body", options: try Self.options)
    try await next.feed(Self.document(2))
    #expect(try await next.finish().records == 2)
  }

  @Test("a task that is cancelled while its body arrives publishes nothing")
  func cancelledTask() async throws {
    let feed = try TestFeed()
    let (body, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    let options = try Self.options
    let task = Task { try await feed.database.ingest(body, from: "body", options: options) }
    continuation.yield(Self.document(2))
    task.cancel()
    continuation.finish()
    _ = await task.result
    let cancelled = feed.database.bodyIngest(from: "body", options: options)
    try await cancelled.feed(Self.document(2))
    cancelled.cancel()
    await #expect(throws: IngestError.self) { try await cancelled.finish() }
    #expect(try Self.count(feed.database) == nil)
  }

  @Test("an unchanged feed gets a new timestamp and keeps its generation")
  func renewed() throws {
    let feed = try TestFeed()
    let push = feed.database.push(from: "a", options: try Self.options)
    try push.feed(Self.document(3))
    let old = try push.finish().feed
    let name = try FeedName(Self.name)
    let seconds = old.referenceSeconds + 0.1
    let renewed = try feed.database.renew(name, referenceSeconds: seconds)
    #expect(renewed?.referenceSeconds.bitPattern == seconds.bitPattern)
    #expect(renewed?.generation == old.generation && renewed?.validators == old.validators)
    let validators = ResponseValidators(entityTag: "2")
    try feed.database.renew(name, referenceSeconds: 5, validators: validators)
    #expect(try feed.database.feedDescription(named: name)?.validators == validators)
    #expect(try feed.database.renew(FeedName("none"), referenceSeconds: 1) == nil)
    #expect(
      try code {
        try feed.database.renew(
          name, referenceSeconds: 1, condition: .generation(old.generation + 1))
      } == .conflict)
  }
}
