import RESPWire
import Testing

@Suite("A pattern of keys")
struct GlobTests {
  @Test(
    "matches as in Redis",
    arguments: [
      ("*", "", true), ("*", "abc", true), ("a*c", "abbc", true), ("a*c", "abb", false),
      ("a*b*c", "axbxbxc", true), ("*a*a*a*", "aa", false), ("h?llo", "hello", true),
      ("h?llo", "hllo", false), ("h[ae]llo", "hallo", true), ("h[ae]llo", "hillo", false),
      ("h[^e]llo", "hallo", true), ("h[^e]llo", "hello", false), ("h[a-c]llo", "hbllo", true),
      ("h[c-a]llo", "hbllo", true), ("h[a-c]llo", "hdllo", false), (#"h\*llo"#, "h*llo", true),
      (#"h\*llo"#, "hello", false), (#"[\]]"#, "]", true), ("[", "a", false), ("a[", "ab", false),
      ("a\\", "a\\", true), ("", "", true), ("", "a", false), ("a", "", false), ("**", "a", true),
      ("[a", "a", true), ("[a-", "-", true),
      ("[^", "a", true), ("[^]", "a", true), ("[]", "a", false), ("*[a-c]*[x-z]", "1b2y", true),
      ("*[a-c]*[x-z]", "1y2b", false), ("[\u{1}-\u{7F}]", "~", true), ("[^a-z]", "ä", false),
      ("[^a-z][^a-z]", "ä", true),
    ])
  func matching(_ pattern: String, _ text: String, _ isMatch: Bool) throws {
    let glob = try #require(GlobPattern(Array(pattern.utf8)))
    #expect(glob.matches(Array(text.utf8).span) == isMatch)
  }

  @Test(
    "tells whether it can match a text with a given prefix",
    arguments: [
      ("feed:a:*", "feed:a:item:", true), ("feed:b:*", "feed:a:item:", false),
      ("img:*", "feed:", false), ("*", "feed:", true), ("feed:a", "feed:a:", false),
      ("feed:a:item:x", "feed:a:item:", true), ("f[e]ed:*", "feed:", true),
    ])
  func prefixes(_ pattern: String, _ prefix: String, _ canMatch: Bool) throws {
    let glob = try #require(GlobPattern(Array(pattern.utf8)))
    #expect(glob.canMatch(prefix: prefix.utf8) == canMatch)
  }

  @Test("has a maximum length, so that no pattern keeps the server busy")
  func longest() {
    #expect(GlobPattern([UInt8](repeating: 0x2A, count: GlobPattern.longest)) != nil)
    #expect(GlobPattern([UInt8](repeating: 0x2A, count: GlobPattern.longest + 1)) == nil)
  }

  @Test("bounds the steps for a text by the lengths of the text and the pattern")
  func steps() throws {
    let long = try #require(GlobPattern([UInt8](repeating: 0x3F, count: 1_000)))
    let short = try #require(GlobPattern(Array("*[a-zA-Z0-9]".utf8)))
    #expect(long.steps(forTextOf: 20) == 400)
    #expect(short.steps(forTextOf: 20) == 40)
  }
}
