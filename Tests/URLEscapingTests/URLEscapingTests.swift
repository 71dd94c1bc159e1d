import Foundation
import TestSupport
import Testing
import URLEscaping

@Suite("The request URL of a text")
struct URLEscapingTests {
  @Test(
    "escapes characters that its component does not allow, and keeps every complete escape",
    arguments: [
      ("http://h/m%20x[1].png", "http://h/m%20x%5B1%5D.png"),
      ("http://h/a b|c\\d", "http://h/a%20b%7Cc%5Cd"),
      ("http://h/é%C3%A9", "http://h/%C3%A9%C3%A9"),
      ("http://h/100%.jpg", "http://h/100%25.jpg"),
      ("http://h/%zz%2", "http://h/%25zz%252"),
      ("http://h/%41%e9?%2F#%3f", "http://h/%41%e9?%2F#%3f"),
      ("http://h/q?tag[]=1&x=%20", "http://h/q?tag%5B%5D=1&x=%20"),
      ("http://h/?a=b?c/d:e@f", "http://h/?a=b?c/d:e@f"),
      ("http://h/?a b%20#c d%20", "http://h/?a%20b%20#c%20d%20"),
      ("http://h/#a#b", "http://h/#a%23b"),
      ("http://u[ser:p%20w@h/", "http://u%5Bser:p%20w@h/"),
      ("http://a@b@h/", "http://a%40b@h/"),
      ("http://[::1]:80/[", "http://[::1]:80/%5B"),
      ("http://é.example/a%20[1]?b=%20", "http://xn--9ca.example/a%20%5B1%5D?b=%20"),
      ("//h/a%20[1].jpg", "//h/a%20%5B1%5D.jpg"),
      ("/a b%20.jpg", "/a%20b%20.jpg"),
      ("a%20[1].jpg?b", "a%20%5B1%5D.jpg?b"),
      ("data:image/png;base64,A A", "data:image/png;base64,A%20A"),
    ])
  func examples(given: String, requested: String) {
    #expect(URL(escaping: given)?.absoluteString == requested)
  }

  @Test(
    "is resolved against the URL of its feed (RFC 3986, section 5.2)",
    arguments: [
      ("//i.example/a%20[1].jpg", "https://i.example/a%20%5B1%5D.jpg"),
      ("/a b%20.jpg", "https://h.example/a%20b%20.jpg"),
      ("a[1].jpg", "https://h.example/v2/a%5B1%5D.jpg"),
      ("../x%20y z", "https://h.example/x%20y%20z"),
      ("?q[]=%20", "https://h.example/v2/top?q%5B%5D=%20"),
      ("http://i.example/%20[", "http://i.example/%20%5B"),
    ])
  func relative(given: String, requested: String) throws {
    let base = try #require(URL(string: "https://h.example/v2/top?x=1"))
    #expect(URL(escaping: given, relativeTo: base)?.absoluteHTTP?.absoluteString == requested)
  }

  @Test(
    "is absolute, relative, without a host, or invalid",
    arguments: [
      (.absolute, ["http://h", "HTTPS://h/a b", "mailto:a@b", "http://[::1]", "data:,x"]),
      (.relative, ["//h/a.jpg", "/a.jpg", "a.jpg", "?", "#", "a b", "100%.jpg", "é"]),
      (.hostless, ["http:", "http://", "https:///a", "http:a", "http://:80/", ":"]),
      (.invalid, ["", "1a:b", "http://a b/", "http://h:x/", "http://[::1", "ht tp://h/", "é:x"]),
    ] as [(URLShape, [String])])
  func shapes(shape: URLShape, texts: [String]) {
    for text in texts { #expect(URLShape(of: text) == shape, "\(text)") }
  }

  /// Texts that are mostly URLs, with some odd characters.
  private static func texts(_ count: Int) -> [String] {
    var random = SeededGenerator(seed: 32)
    let starts = [
      "http://h.example/", "https://h.example", "//h/", "/", "", "HTTP://u:p@h:80/", "http://[::1]",
      "mailto:", "a:", "http:", "?", "#",
    ]
    let plain = "abz019-._~/".map { String($0) }
    let odd =
      "[]@:%?#|\\^`{}<>\" é☃\u{0}\n!$&'()*+,;=".map { String($0) }
      + ["%20", "%C3%a9", "%zz", "//"]
    return (0..<count).map { _ in
      var text = starts.randomElement(using: &random) ?? ""
      for _ in 0..<Int.random(in: 0..<16, using: &random) {
        let isOdd = Int.random(in: 0..<4, using: &random) == 0
        text += (isOdd ? odd : plain).randomElement(using: &random) ?? ""
      }
      return text
    }
  }

  @Test("exists exactly if Foundation accepts the text, and differs only in escapes")
  func property() {
    var accepted = 0
    for text in Self.texts(20_000) {
      let url = URL(escaping: text)
      #expect((url == nil) == (URL(string: text) == nil), "\(text.debugDescription)")
      guard let url else { continue }
      accepted += 1
      let requested = url.absoluteString
      // No character is left to escape.
      #expect(URL(string: requested, encodingInvalidCharacters: false) != nil, "\(requested)")
      #expect(URL(escaping: requested)?.absoluteString == requested)
      if URL(string: text, encodingInvalidCharacters: false) != nil { #expect(requested == text) }
      // A host outside ASCII has another spelling.
      if !text.contains(where: { !$0.isASCII }) {
        #expect(Self.unescaped(requested) == Self.unescaped(text), "\(text.debugDescription)")
      }
    }
    #expect(accepted > 10_000)
  }

  /// The bytes that a text represents; an incomplete escape represents itself.
  private static func unescaped(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
        let value = UInt8(digits, radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}
