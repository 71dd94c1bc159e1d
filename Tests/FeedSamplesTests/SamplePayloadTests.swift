import FeedSamples
import Foundation
import Testing

@Suite("Sample payloads")
struct SamplePayloadTests {
  typealias Kind = SamplePayload.Kind
  typealias Format = SamplePayload.Format
  typealias Object = [String: Any]

  @Test(
    "every kind in every format is JSON with the requested number of records",
    arguments: Kind.allCases, Format.allCases)
  func validity(kind: Kind, format: Format) throws {
    for count in [0, 1, 2, 700] {
      let data = SamplePayload(kind: kind, records: count, format: format).collected()
      #expect(try records(in: data, kind: kind, format: format).count == count)
    }
  }

  @Test("the formats of one seed have the same records", arguments: Kind.allCases)
  func formatsAgree(kind: Kind) throws {
    let all = try Format.allCases.map { format in
      let data = SamplePayload(kind: kind, records: 50, seed: 7, format: format).collected()
      return NSArray(array: try records(in: data, kind: kind, format: format))
    }
    #expect(all[0] == all[1])
    #expect(all[0] == all[2])
  }

  @Test(
    "the same seed gives the same bytes, and another seed different ones",
    arguments: Kind.allCases, Format.allCases)
  func determinism(kind: Kind, format: Format) {
    let first = SamplePayload(kind: kind, records: 200, seed: 5, format: format).collected()
    let second = SamplePayload(kind: kind, records: 200, seed: 5, format: format).collected()
    let other = SamplePayload(kind: kind, records: 200, seed: 6, format: format).collected()
    #expect(first == second)
    #expect(first != other)
  }

  @Test("the bytes of a seed are the same on every machine and in every release")
  func pinnedBytes() {
    let text = SamplePayload(kind: .characters, records: 1, seed: 1).collected()
    #expect(
      String(decoding: text, as: UTF8.self) == """
        {"info":{"count":1,"pages":1,"next":null,"prev":null},"results":[\
        {"name":"Mina Weber","status":"Alive","species":"Robot",\
        "image":"https://example.com/characters/90150280.jpeg"}]}

        """)
  }

  @Test("a pretty sample has one key per line and short lists on one line")
  func prettyLayout() throws {
    let data = SamplePayload(kind: .universities, records: 2, format: .pretty).collected()
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 18)
    #expect(lines.first == "[")
    #expect(lines[1] == "  {")
    #expect(lines[2].hasPrefix("    \"name\": \""))
    #expect(lines[3].hasPrefix("    \"domains\": [\""))
    #expect(lines[3].hasSuffix("\"],"))
    #expect(lines[8] == "  },")
    #expect(lines.last == "]")
  }

  @Test("characters and news have the keys next to their records")
  func siblings() throws {
    let characters = try object(in: SamplePayload(kind: .characters, records: 41).collected())
    let info = try #require(characters["info"] as? Object)
    #expect(info["count"] as? Int == 41)
    #expect(info["pages"] as? Int == 3)
    #expect(info["next"] is String)
    #expect(info["prev"] is NSNull)
    let news = try object(in: SamplePayload(kind: .news, records: 3).collected())
    #expect(news["status"] as? String == "ok")
    #expect(news["totalResults"] as? Int == 3)
  }

  @Test("identifiers are UUIDs, images URLs, optional fields absent, null or text")
  func feedFields() throws {
    let items = try sample(.feed, 2_000)
    #expect(items.allSatisfy { UUID(uuidString: $0["id"] as? String ?? "") != nil })
    #expect(items.allSatisfy { URL(string: $0["image"] as? String ?? "")?.host() != nil })
    #expect(items.contains { $0["description"] == nil })
    #expect(items.contains { $0["description"] is NSNull })
    #expect(items.contains { $0["description"] is String })
    #expect(items.contains { $0["location"] == nil })
  }

  @Test("comments have authors and dates with a numeric zone")
  func commentFields() throws {
    for comment in try sample(.comments, 500) {
      let date = try #require(comment["created_at"] as? String)
      #expect(date.hasSuffix("+0000"))
      #expect(throws: Never.self) { try Date(date, strategy: .iso8601) }
      #expect((comment["author"] as? Object)?["username"] is String)
    }
  }

  @Test("universities resemble a real dump in size, alphabet and missing provinces")
  func universityFields() throws {
    let data = SamplePayload(kind: .universities, records: 5_000, format: .pretty).collected()
    #expect((190...260).contains(data.count / 5_000))
    let foreign = Double(data.count { $0 > 0x7F }) / Double(data.count)
    #expect((0.0005...0.005).contains(foreign))
    let universities = try records(in: data, kind: .universities, format: .pretty)
    #expect(universities.contains { $0["state-province"] is NSNull })
    #expect(universities.contains { $0["state-province"] is String })
    #expect(universities.contains { ($0["web_pages"] as? [String])?.count == 2 })
    #expect(universities.contains { ($0["domains"] as? [String])?.count == 2 })
    let names = Set(universities.compactMap { $0["name"] as? String })
    #expect(names.count > 4_500)
  }

  @Test("five million universities are a dump of a gigabyte")
  func gigabyte() {
    let data = SamplePayload(kind: .universities, records: 50_000).collected()
    #expect(data.count >= 10_000_000)
  }

  @Test("news have long texts with escapes, surrogate pairs and nulls")
  func newsFields() throws {
    let data = SamplePayload(kind: .news, records: 2_000).collected()
    #expect((900...1_400).contains(data.count / 2_000))
    let text = String(decoding: data, as: UTF8.self)
    for escape in [#"\n"#, #"\""#, #"\u2019"#, #"\ud83d\ude80"#, "é"] {
      #expect(text.contains(escape))
    }
    let articles = try sample(.news, 2_000)
    for key in ["author", "description", "urlToImage", "content"] {
      #expect(articles.contains { $0[key] is NSNull })
      #expect(articles.contains { $0[key] is String })
    }
  }

  @Test("chunks are about 64 KiB, whatever the size of the sample", arguments: Kind.allCases)
  func chunks(kind: Kind) {
    var sizes: [Int] = []
    SamplePayload(kind: kind, records: 10_000).write { sizes.append($0.byteCount) }
    #expect(sizes.count > 10)
    #expect(sizes.allSatisfy { $0 > 0 && $0 < 70_000 })
    #expect(sizes.dropLast().allSatisfy { $0 >= 65_536 })
  }

  @Test("an error of the sink ends the writing and is thrown")
  func sinkError() {
    struct Full: Error, Equatable {}
    var calls = 0
    #expect(throws: Full()) {
      try SamplePayload(kind: .news, records: 10_000).write { _ throws(Full) in
        calls += 1
        if calls == 2 { throw Full() }
      }
    }
    #expect(calls == 2)
  }

  @Test("a negative number of records means none")
  func negativeCount() throws {
    let data = SamplePayload(kind: .feed, records: -3).collected()
    #expect(String(decoding: data, as: UTF8.self) == "{\"items\":[]}\n")
    #expect(SamplePayload(kind: .feed, records: 0, format: .ndjson).collected().isEmpty)
  }

  private func sample(_ kind: Kind, _ count: Int) throws -> [Object] {
    let data = SamplePayload(kind: kind, records: count).collected()
    return try records(in: data, kind: kind, format: .json)
  }

  private func object(in data: Data) throws -> Object {
    try #require(try JSONSerialization.jsonObject(with: data) as? Object)
  }

  private func records(in data: Data, kind: Kind, format: Format) throws -> [Object] {
    if format == .ndjson {
      return try data.split(separator: 0x0A).map { try object(in: Data($0)) }
    }
    let key: String? =
      switch kind {
      case .universities: nil
      case .feed, .comments: "items"
      case .characters: "results"
      case .news: "articles"
      }
    guard let key else {
      return try #require(try JSONSerialization.jsonObject(with: data) as? [Object])
    }
    return try #require(try object(in: data)[key] as? [Object])
  }
}

extension SamplePayload {
  /// The whole sample in memory.
  func collected() -> Data {
    var data = Data()
    write { chunk in
      chunk.withUnsafeBytes { data.append(contentsOf: $0) }
    }
    return data
  }
}
