import FeedStorage
import Testing

@Suite struct FeedNameTests {
  @Test(
    "letters, digits, dots, underscores and hyphens make a name",
    arguments: ["a", "A-b_c.9", "universities", "-", String(repeating: "x", count: 64)])
  func valid(text: String) throws {
    #expect(try FeedName(text).text == text)
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", ".", ".hidden", "a/b", "a b", "é", "a\n", "..", String(repeating: "x", count: 65),
    ])
  func invalid(text: String) throws {
    #expect(try code { _ = try FeedName(text) } == .invalidName)
  }
}
