import FeedStorage
import TestSupport
import Testing

@Suite("The content of a body")
struct ImageContentTests {
  private static func content(_ bytes: some Sequence<UInt8>) -> ImageContent {
    let bytes = Array(bytes)
    return ImageContent(bytes.span.bytes)
  }

  private static let signatures: [(String, [UInt8])] = [
    ("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]),
    ("image/jpeg", [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8)),
    ("image/jpeg", [0xFF, 0xD8, 0xFF, 0xDB]),
    ("image/gif", Array("GIF87a".utf8)), ("image/gif", Array("GIF89a....".utf8)),
    ("image/webp", Array("RIFF".utf8) + [4, 0, 0, 0] + Array("WEBPVP8 ".utf8)),
    (
      "image/avif", [0, 0, 0, 24] + Array("ftypavif".utf8) + [0, 0, 0, 0] + Array("mif1miaf".utf8)
    ),
    (
      "image/avif",
      [0, 0, 0, 28] + Array("ftypmif1".utf8) + [0, 0, 0, 0] + Array("miafavifMA1B".utf8)
    ),
    ("image/avif", [0, 0, 0, 20] + Array("ftypavis".utf8) + [0, 0, 0, 0] + Array("msf1".utf8)),
    ("image/bmp", Array("BM".utf8) + [70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0]),
    ("image/vnd.microsoft.icon", [0, 0, 1, 0, 1, 0, 16, 16]),
  ]

  @Test("images are recognized by their signatures", arguments: signatures)
  func images(type: String, bytes: [UInt8]) {
    #expect(Self.content(bytes) == .image(type))
    #expect(Self.content(bytes + [0, 1, 2]) == .image(type))
  }

  @Test(
    "SVG is recognized behind whatever may precede its element",
    arguments: [
      "<svg/>", "<svg xmlns='http://www.w3.org/2000/svg'>", "\u{FEFF} \n<svg>", "<svg:svg>",
      "<?xml version='1.0'?>\n<!-- <html> -->\n<svg>",
      """
      <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/svg11.dtd" [
        <!ENTITY ns "http://ns.adobe.com/"> ]>
      <svg>
      """,
      "<!--" + String(repeating: "long ", count: 5_000) + "--><svg>",
    ])
  func svg(text: String) {
    #expect(Self.content(text.utf8) == .image("image/svg+xml"))
    let wide: [UInt8] =
      [0xFF, 0xFE] + text.utf16.filter { $0 < 128 }.flatMap { [UInt8($0), 0] as [UInt8] }
    #expect(Self.content(wide) == .image("image/svg+xml"))
  }

  @Test(
    "JSON, HTML, XML, PDF and empty bodies are not images",
    arguments: [
      ("JSON", [#"{"error":"not found"}"#, " \n[1]", "\u{FEFF}{}", "null", "true\n", #""gone""#]),
      ("HTML", ["<!DOCTYPE html><html>", "<!doctype HTML>", "<html>", "\n<HEAD>", "<h1>404</h1>"]),
      ("HTML", ["<!-- a --><html><svg>", "<?xml version='1.0'?><html xmlns='x'><svg/>"]),
      (
        "XML", ["<?xml version='1.0'?><Error/>", "<Error>", "<?xml", "<!-- <svg> -->", "<rss:rss>"]
      ),
      ("PDF", ["%PDF-1.7\n"]), ("nothing", [""]),
    ])
  func others(name: String, texts: [String]) {
    for text in texts { #expect(Self.content(text.utf8) == .other(name), "\(text)") }
  }

  @Test(
    "bytes of an unknown format are classified as unknown",
    arguments: ["image", "BMW", "RIFF....WAVE", "< 1", "<1>", "GIF88a", "nullx", "\"a", "1 2"])
  func unknown(text: String) {
    #expect(Self.content(text.utf8) == .unknown)
  }

  @Test("prefixes and mutations of all formats are classified without a crash")
  func mutations() {
    var random = SeededGenerator(seed: 8)
    let texts = ["<?xml?><!DOCTYPE a [<!ENTITY b 'c'>]><svg:svg>", "<!--", "{", "\u{FEFF}<"]
    for form in Self.signatures.map(\.1) + texts.map({ Array($0.utf8) }) {
      for count in 0...form.count { _ = Self.content(form.prefix(count)) }
      for _ in 0..<500 {
        var bytes = form
        for _ in 0..<3 {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
            in: 0...255, using: &random)
        }
        _ = Self.content(bytes)
      }
    }
  }
}
