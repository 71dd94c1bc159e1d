import FeedSchema
import JSONStream
import Testing

@Suite("Lenient dates")
struct CommonDateTests {
  private static func event(_ fields: String) -> String { #"{"title":"T",\#(fields)}"# }

  /// A contract with one required and one optional date.
  private static func schema() throws -> PayloadSchema {
    try PayloadSchema(
      name: "events", identifier: 1_001, key: 1,
      fields: [
        .init(id: 1, "title", kind: .text),
        .init(id: 2, "start", kind: .date),
        .init(id: 3, "end", kind: .date, isRequired: false),
      ])
  }

  private func start(_ text: String) throws -> String? {
    let record = Self.event(#""start":"\#(text)""#)
    return try? map("[\(record)]", as: Self.schema(), dates: .lenient).json.first
  }

  @Test(
    "accepts the forms that services use",
    arguments: [
      ("2020-05-20T11:24:59Z", "2020-05-20T11:24:59Z"),
      ("2020-05-20 11:24:59Z", "2020-05-20T11:24:59Z"),
      ("2020-05-20 11:24:59", "2020-05-20T11:24:59Z"),
      ("2020-05-20T11:24:59", "2020-05-20T11:24:59Z"),
      ("2020-05-20t11:24:59.25", "2020-05-20T11:24:59.25Z"),
      ("2020-05-20T11:24:59,5+02:00", "2020-05-20T09:24:59.5Z"),
      ("2020-05-20 11:24:59 +0200", "2020-05-20T09:24:59Z"),
      ("2020-05-20 11:24:59.123456+02", "2020-05-20T09:24:59.123456Z"),
      ("2020-05-20 11:24:59 UTC", "2020-05-20T11:24:59Z"),
      ("2020-05-20T11:24", "2020-05-20T11:24:00Z"),
      ("2020-05-20T11:24-0330", "2020-05-20T14:54:00Z"),
      (" 2020-05-20 ", "2020-05-20T00:00:00Z"),
      ("Wed, 20 May 2020 11:24:59 GMT", "2020-05-20T11:24:59Z"),
      ("Wed, 06 May 2020 11:24:59 -0700", "2020-05-06T18:24:59Z"),
      ("6 may 2020 11:24 +0000", "2020-05-06T11:24:00Z"),
      // The obsolete forms of RFC 5322, section 4.3, which are those of RSS 2.0 (RFC 822).
      ("Wed, 20 May 2020 11:24:59 UT", "2020-05-20T11:24:59Z"),
      ("Wed, 20 May 2020 11:24:59 EST", "2020-05-20T16:24:59Z"),
      ("Wed, 20 May 2020 11:24:59 EDT", "2020-05-20T15:24:59Z"),
      ("Wed, 20 May 2020 11:24:59 CST", "2020-05-20T17:24:59Z"),
      ("Wed, 20 May 2020 11:24:59 CDT", "2020-05-20T16:24:59Z"),
      ("Wed, 20 May 2020 11:24:59 MST", "2020-05-20T18:24:59Z"),
      ("Wed, 20 May 2020 11:24:59 MDT", "2020-05-20T17:24:59Z"),
      ("Wed, 20 May 2020 11:24:59 PST", "2020-05-20T19:24:59Z"),
      ("Wed, 20 May 2020 23:24:59 pdt", "2020-05-21T06:24:59Z"),
      ("20 May 20 11:24:59 GMT", "2020-05-20T11:24:59Z"),
      ("Sat, 07 Sep 02 00:00:01 GMT", "2002-09-07T00:00:01Z"),
      ("31 Dec 49 23:59:59 UT", "2049-12-31T23:59:59Z"),
      ("01 Jan 50 00:00:00 UT", "1950-01-01T00:00:00Z"),
      ("31 Dec 99 23:59:59 EST", "2000-01-01T04:59:59Z"),
      ("1 Jan 104 00:00:00 GMT", "2004-01-01T00:00:00Z"),
    ])
  func taken(text: String, canonical: String) throws {
    #expect(try start(text) == Self.event(#""start":"\#(canonical)""#))
  }

  @Test(
    "rejects any other text for a required date",
    arguments: [
      "", " ", "today", "1589973899", "1589973899000", "2020", "2020-05", "20-05-2020",
      "05/20/2020",
      "2020-05-20T", "2020-05-20T11", "2020-13-20", "2020-05-32", "2020-05-20 25:00",
      "2020-05-20T11:24:59 CET",
      "2020-05-20 11:24:59 +02 x", "2020-05-20T11:24:59Z Z", "2020-05-20x11:24:59",
      "2020-05-20T11:24:59+2", "Wed 20 May 2020 11:24:59 GMT", "20 Mai 2020 11:24:59 GMT",
      "20 May 2 11:24:59 GMT", "20 May 02020 11:24:59 GMT", "20 May -2 11:24:59 GMT",
      "20 May 20 11:24:59 CET", "20 May 20 11:24:59 X", "2020-05-20 11:24:59 EST",
      "20-05-20 11:24:59", "Wed, May 20 2020 11:24:59 GMT", "é020-05-20", "2020-05-20T11:24é",
      "2020-05-20T11:24:59 " + String(repeating: " ", count: 64) + "Z",
    ])
  func refused(text: String) throws {
    #expect(try start(text) == nil)
  }

  @Test("reports an invalid date with its location")
  func fault() throws {
    let record = Self.event(#""start":"soon""#)
    for dates in [PayloadParser.Dates.strict, .lenient] {
      let error = try #require(try failure(of: "[\(record)]", as: Self.schema(), dates: dates))
      #expect(error.kind == .schema)
      #expect(error.byteOffset == 22)
      #expect("\(error)".contains(#"start: expected a date with a time and a zone, found "soon""#))
    }
  }

  @Test("drops an invalid optional date, but rejects a value of another type")
  func absent() throws {
    let start = #""start":"2020-05-20T11:24:59Z""#
    let document = "[" + Self.event(start + #","end":"soon""#) + "]"
    #expect(try map(document, as: Self.schema(), dates: .lenient).json == [Self.event(start)])
    #expect(try failure(of: document, as: Self.schema())?.kind == .schema)
    for value in ["5", "true", "[]", #"{"a":1}"#] {
      let document = "[" + Self.event(start + #","end":\#(value)"#) + "]"
      #expect(try failure(of: document, as: Self.schema(), dates: .lenient)?.kind == .schema)
    }
  }

  @Test("produces the same record from either form of a date")
  func sameBytes() throws {
    for count in [0, 10, 300, 70_000] {
      let title = String(repeating: "x", count: count)
      let records = try ["2020-05-20T11:24:59Z", "2020-05-20 11:24:59"].map { text in
        try map(
          #"[{"title":"\#(title)","start":"\#(text)","end":null}]"#, as: Self.schema(),
          dates: .lenient)
      }
      #expect(records[0].bytes == records[1].bytes)
      #expect(records[0].hashes == records[1].hashes)
    }
  }

  @Test("still rejects other bad values")
  func otherFaults() throws {
    let document = #"[{"title":7,"start":"2020-05-20 11:24:59"}]"#
    let error = try #require(try failure(of: document, as: Self.schema(), dates: .lenient))
    #expect("\(error)".contains("title: expected a string, found a number"))
  }
}
