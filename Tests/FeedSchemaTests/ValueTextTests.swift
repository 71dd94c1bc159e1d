import FeedSchema
import Foundation
import TestSupport
import Testing

@Suite("Dates, UUIDs and URLs as text")
struct ValueTextTests {
  private func parse(_ text: String) -> Double? { DateText.parse(Array(text.utf8).span.bytes) }

  private func uuid(_ text: String) -> (high: UInt64, low: UInt64)? {
    UUIDText.parse(Array(text.utf8).span.bytes)
  }

  private func isAbsolute(_ text: String) -> Bool {
    URLText.isAbsolute(Array(text.utf8).span.bytes)
  }

  private func format(_ seconds: Double) -> String? {
    DateText.text(referenceSeconds: seconds).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    "accepts the forms that the apps' decoders accept (notes of the five apps: comments, articles)",
    arguments: [
      ("2020-05-20T11:24:59+0000", "2020-05-20T11:24:59Z"),
      ("2020-05-20T11:24:59+00:00", "2020-05-20T11:24:59Z"),
      ("2020-05-20t11:24:59z", "2020-05-20T11:24:59Z"),
      ("2020-05-20T11:24:59-0330", "2020-05-20T14:54:59Z"),
      ("2017-11-04T18:48:46.250Z", "2017-11-04T18:48:46.25Z"),
      ("2020-12-31T24:00:00Z", "2021-01-01T00:00:00Z"),
      ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
      ("2019-02-30T00:00:00Z", "2019-03-02T00:00:00Z"),
      ("2020-02-30T00:00:00Z", "2020-03-01T00:00:00Z"),
      ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
      ("9999-12-31T23:59:59.5Z", "9999-12-31T23:59:59.5Z"),
    ])
  func accepted(text: String, canonical: String) throws {
    let seconds = try #require(parse(text))
    #expect(format(seconds) == canonical)
  }

  @Test(
    "rejects text that is not a date with a time and a zone",
    arguments: [
      "", "2020-05-20", "2020-05-20T11:24:59", "2020-05-20 11:24:59Z", "2020-5-20T11:24:59Z",
      "2020-13-20T11:24:59Z", "2020-00-20T11:24:59Z", "2020-05-32T11:24:59Z",
      "2020-05-20T25:00:00Z", "2020-05-20T24:00:01Z", "2020-05-20T11:60:59Z",
      "2020-05-20T11:24:61Z", "2020-05-20T11:24:59.Z", "2020-05-20T11:24:59+1", "x",
      "2020-05-20T11:24:59Zx", "2020-05-20T11:24:59+00:60", "+020-05-20T11:24:59Z",
      "9999-12-31T23:59:59-0100", "0000-01-01T00:00:00+0001",
    ])
  func refused(text: String) { #expect(parse(text) == nil) }

  // For each position, the bytes with which the text is still a date.
  private static let datePositions = [
    digits, digits, digits, digits, "-", "01", "012", "-", "0123", digits, "Tt", "012", digits,
    ":", "012345", digits, ":", "0123456", digits,
  ]
  private static let digits = "0123456789"

  @Test(
    "each position of a date accepts only its digits or separator",
    arguments: [
      ("Z", ["Zz"]), ("+1010", ["+-", "012", digits, "012345", digits]),
      ("-10:10", ["+-", "012", digits, ":", "012345", digits]),
    ])
  func dateBytes(zone: String, zonePositions: [String]) {
    let text = Array("2020-11-11T10:10:10\(zone)".utf8)
    let positions = Self.datePositions + zonePositions
    for offset in text.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = text
        changed[offset] = byte
        let isDate = DateText.parse(changed.span.bytes) != nil
        let isTaken = positions[offset].utf8.contains(byte)
        #expect(isDate == isTaken, "byte \(byte) at \(offset)")
      }
    }
  }

  @Test("the first day of every third month of every year round-trips, without gaps between days")
  func everyYear() throws {
    var last: Double?
    for year in 0...9999 {
      for month in ["01", "04", "07", "10"] {
        let text = "\(String(10_000 + year).dropFirst())-\(month)-01T00:00:00Z"
        let seconds = try #require(parse(text))
        #expect(format(seconds) == text)
        if let last { #expect((90...92).contains((seconds - last) / 86_400)) }
        last = seconds
      }
    }
  }

  @Test("seconds agree with Foundation over four centuries and round-trip bit for bit")
  func agreesWithFoundation() throws {
    let formatter = ISO8601DateFormatter()
    for day in stride(from: -73_000.0, to: 73_000, by: 97) {
      let seconds = day * 86_400 + 12_345
      let text = formatter.string(from: Date(timeIntervalSinceReferenceDate: seconds))
      #expect(parse(text) == seconds)
      #expect(format(seconds) == text)
      let fraction = seconds + 0.125
      #expect(parse(try #require(format(fraction))) == fraction)
    }
  }

  @Test("Z, +0000, +00:00 and .0Z are equivalent after every time, valid or not")
  func utcEndings() {
    var random = SeededGenerator(seed: 11)
    let digits = Array("0123456789:/".utf8)
    var dates = 0
    for _ in 0..<20_000 {
      let clock = [
        Int.random(in: 0...9999, using: &random), .random(in: 0...13, using: &random),
        .random(in: 0...32, using: &random), .random(in: 0...25, using: &random),
        .random(in: 0...60, using: &random), .random(in: 0...61, using: &random),
      ].enumerated().map { String("0000\($1)".suffix($0 == 0 ? 4 : 2)) }
      var text = Array(
        "\(clock[0])-\(clock[1])-\(clock[2])T\(clock[3]):\(clock[4]):\(clock[5])".utf8)
      if Int.random(in: 0..<4, using: &random) == 0 {
        text[Int.random(in: 0..<19, using: &random)] = digits.randomElement(using: &random) ?? 0
      }
      let seconds = ["Z", "+0000", "+00:00", ".0Z"].map { zone in
        let written = text + zone.utf8
        return DateText.parse(written.span.bytes)
      }
      if seconds[0] != nil { dates += 1 }
      #expect(Set(seconds).count == 1, "\(String(decoding: text, as: UTF8.self)): \(seconds)")
    }
    #expect(dates > 5_000)
  }

  @Test("a UUID is written in upper case")
  func uuids() throws {
    let text = "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"
    let halves = try #require(uuid(text))
    let written = String(decoding: UUIDText.text(high: halves.high, low: halves.low), as: UTF8.self)
    #expect(written == UUID(uuidString: text)?.uuidString)
    for bad in ["", "e621e1f8c36c495a93fc0c247a3e6e5f", text + "0", "g" + text.dropFirst()] {
      #expect(uuid(bad) == nil)
    }
  }

  @Test("each position of a UUID accepts only a hexadecimal digit or its hyphen")
  func uuidBytes() {
    let text = Array("e621E1f8-C36c-495A-93fc-0c247a3e6E5F".utf8)
    for offset in text.indices {
      for byte in UInt8.min...UInt8.max {
        var other = text
        other[offset] = byte
        let isRight =
          text[offset] == UInt8(ascii: "-")
          ? byte == UInt8(ascii: "-")
          : byte < 0x80 && Unicode.Scalar(byte).properties.isASCIIHexDigit
        let found = UUIDText.parse(other.span.bytes)
        #expect((found != nil) == isRight, "\(byte) at \(offset)")
        guard isRight, let found else { continue }
        let digits = String(decoding: other, as: UTF8.self).filter { $0 != "-" }
        #expect(found.high == UInt64(digits.prefix(16), radix: 16))
        #expect(found.low == UInt64(digits.suffix(16), radix: 16))
      }
    }
  }

  @Test(
    "accepts absolute URLs (RFC 3986)",
    arguments: [
      "https://e.com", "http://e.com:8080/a/b;c?q=1&r=[x]#f", "HTTPS://u:p@e.com/%20",
      "https://[::1]/", "file:///tmp/a", "mailto:a@b.c", "urn:isbn:1", "http://[::ffff:1.2.3.4]:80",
      "http://e.com:/a:b/[c]#d#e", "https://example.com:8080/path?query",
    ])
  func absolute(text: String) { #expect(isAbsolute(text)) }

  @Test(
    "rejects text that is not an absolute URL",
    arguments: [
      "", "e.com", "/a", "//e.com", "http:", "http://", "http:///a", "https://:80/", "http:e.com",
      "https://e.com/a b", "https://e.com/%2", "https://e.com/%zz", "1http://e.com",
      "https://e.com/é", "https://u@/", "http://e.com/<a>", ":a", "http://a:b/", "http://[",
      "http://[::1/", "http://a[b/", "http://]/", "http://[]/", "http://[g]/", "http://a@b@c/",
      "https://example.com:port/path", "https://exa[mple.com/path/to", "ftp://a:b/",
    ])
  func relative(text: String) { #expect(!isAbsolute(text)) }

  @Test("whether a URL is absolute does not depend on its length or the case of its scheme")
  func schemesInCapitals() {
    var random = SeededGenerator(seed: 13)
    let plain = Array("abzAZ019-._~/?&=+,;!$'()*".utf8)
    var accepted = 0
    for count in 0...130 {
      for _ in 0..<60 {
        var rest = (0..<count).map { _ in plain.randomElement(using: &random) ?? 0 }
        if count > 0, Bool.random(using: &random) {
          rest[Int.random(in: 0..<count, using: &random)] = UInt8.random(
            in: 0...255, using: &random)
        }
        for scheme in ["http://", "https://"] {
          let text = scheme.utf8 + rest
          // Upper case makes the parser read each byte alone.
          let twin = scheme.uppercased().utf8 + rest
          let isAbsolute = URLText.isAbsolute(text.span.bytes)
          #expect(isAbsolute == URLText.isAbsolute(twin.span.bytes), "\(text)")
          if isAbsolute { accepted += 1 }
        }
      }
    }
    #expect(accepted > 5_000)
  }

  @Test("Foundation accepts every absolute URL, and changes only unusual ones")
  func foundation() {
    var generator = SeededGenerator(seed: 7)
    let starts = ["http://", "https://", "HTTP://", "ftp://", "urn:", "file:///", "http:"]
    let letters = Array("abz019.-_~/?#[]@:%2F!$&'()*+,;=".utf8)
    var accepted = 0
    for _ in 0..<20_000 {
      var text = Array((starts.randomElement(using: &generator) ?? "").utf8)
      for _ in 0..<Int.random(in: 0..<40, using: &generator) {
        // Mostly characters of hosts and paths, so that some texts are accepted.
        let isOdd = Int.random(in: 0..<8, using: &generator) == 0
        text.append((isOdd ? letters[...] : letters[..<11]).randomElement(using: &generator) ?? 0)
      }
      guard URLText.isAbsolute(text.span.bytes) else { continue }
      accepted += 1
      let string = String(decoding: text, as: UTF8.self)
      let url = URL(string: string)
      #expect(url != nil, "\(string)")
      if URLText.isPlainHTTP(text.span.bytes) || !string.contains(/[\[\]#]/) {
        #expect(url?.absoluteString == string)
      }
    }
    #expect(accepted > 2_000)
  }
}
