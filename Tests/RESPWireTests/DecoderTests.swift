import RESPWire
import TestSupport
import Testing

@Suite("The decoder of commands")
struct DecoderTests {
  @Test("finds commands that follow one another")
  func commands() throws {
    #expect(
      try decode("*2\r\n$3\r\nGET\r\n$1\r\na\r\n*1\r\n$4\r\nPING\r\n") == [["GET", "a"], ["PING"]])
  }

  @Test("accepts any bytes in an argument, including line ends, and empty arguments")
  func anyBytes() throws {
    #expect(try decode("*3\r\n$4\r\n\r\n\0*\r\n$0\r\n\r\n$2\r\n$1\r\n") == [["\r\n\0*", "", "$1"]])
  }

  @Test("skips commands without arguments", arguments: ["*0\r\n", "*-1\r\n", "\r\n", "  \n"])
  func empty(_ text: String) throws {
    #expect(try decode(text + "*1\r\n$4\r\nPING\r\n") == [["PING"]])
  }

  @Test(
    "accepts inline commands with quotes and escapes",
    arguments: [
      ("PING\r\n", ["PING"]), ("get  a\n", ["get", "a"]),
      (#"a "b c" 'd e'"# + "\n", ["a", "b c", "d e"]),
      (#"a "\x41\n\"" '\'\n'"# + "\n", ["a", "A\n\"", #"'\n"#]), (#"a """# + "\n", ["a", ""]),
    ])
  func lines(_ text: String, _ words: [String]) throws {
    #expect(try decode(text) == [words])
  }

  @Test(
    "reports errors with the messages of Redis",
    arguments: [
      ("*x\r\n", "invalid multibulk length"), ("*1048577\r\n", "invalid multibulk length"),
      ("*1\n", "invalid multibulk length"), ("*01\r\n", "invalid multibulk length"),
      ("*1\r\nGET\r\n", "expected '$', got 'G'"), ("*1\r\n\r\n", "expected '$', got '?'"),
      ("*1\r\n$-1\r\n", "invalid bulk length"), ("*1\r\n$x\r\n", "invalid bulk length"),
      ("*1\r\n$99999999\r\n", "invalid bulk length"),
      ("*9999999999999999\r\n", "too big mbulk count string"),
      ("*1\r\n$9999999999999999\r\n", "too big bulk count string"),
      ("*1\r\n$1\r\nabc", "expected a line end behind a bulk"),
      ("a \"b\n", "unbalanced quotes in request"), ("a \"b\"c\n", "unbalanced quotes in request"),
    ])
  func errors(_ text: String, _ message: String) {
    let error = #expect(throws: RESPProtocolError.self) { _ = try decode(text) }
    #expect(error?.message == message)
  }

  @Test("enforces each of its limits")
  func limits() {
    var limits = RESPLimits()
    limits.arguments = 3
    limits.bulkBytes = 10
    limits.commandBytes = 30
    limits.inlineBytes = 20
    #expect(throws: RESPProtocolError.invalidArgumentCount) { _ = try decode("*4\r\n", limits) }
    #expect(throws: RESPProtocolError.invalidBulkLength) { _ = try decode("*1\r\n$11\r\n", limits) }
    #expect(throws: RESPProtocolError.tooLongCommand) {
      _ = try decode("*3\r\n$9\r\n123456789\r\n$9\r\n123456789\r\n", limits)
    }
    #expect(throws: RESPProtocolError.tooLongInlineCommand) {
      _ = try decode(String(repeating: "a", count: 21), limits)
    }
    #expect(throws: RESPProtocolError.unauthenticatedArgumentCount) {
      _ = try decode("*11\r\n", .unauthenticated)
    }
    #expect(throws: RESPProtocolError.unauthenticatedBulkLength) {
      _ = try decode("*1\r\n$16385\r\n", .unauthenticated)
    }
  }

  @Test("gives the same result however its input is split", arguments: 0..<400)
  func pieces(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let corpus = CommandSamples.all
    var bytes = (0..<3).flatMap { _ in corpus.randomElement(using: &random) ?? [] }
    if seed % 4 > 0 { bytes = Mutation.mutated(bytes, using: &random) }
    let whole = Decoded(bytes, pieces: [bytes.count])
    for size in [1, 2, 7, Int.random(in: 1...40, using: &random)] {
      #expect(Decoded(bytes, pieces: [size]) == whole)
    }
  }

  @Test(
    "finds a whole GET in one step as it does incrementally, and nothing else", arguments: 0..<400)
  func get(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 0...1_100, using: &random)
    let key = String(repeating: "k\r", count: 550).prefix(count)
    let name = ["GET", "get", "gEt", "SET", "GEX"].randomElement(using: &random) ?? ""
    var bytes = Array("*2\r\n$3\r\n\(name)\r\n$\(count)\r\n\(key)\r\n".utf8)
    let whole = bytes.count
    if seed % 3 > 0 { bytes = Mutation.mutated(bytes, using: &random) }
    var decoder = RESPDecoder()
    let isPlain = seed % 3 == 0 && name.lowercased() == "get" && (1...999).contains(count)
    guard let get = decoder.get(in: bytes.span, at: 0) else { return #expect(!isPlain) }
    #expect(try decoder.next(bytes.span) == get.end)
    #expect(decoder.arguments.count == 2 && decoder.arguments.last?.range == get.key)
    if isPlain { #expect(get.end == whole) }
    // There is none before the last byte arrives, nor while a command is incomplete.
    #expect(decoder.get(in: bytes.span.extracting(0..<get.end - 1), at: 0) == nil)
    #expect(try decoder.next(bytes.span.extracting(0..<get.end - 1)) == nil)
    #expect(decoder.get(in: bytes.span, at: 0) == nil)
    #expect(RESPDecoder(limits: .unauthenticated).get(in: bytes.span, at: 0) == nil)
  }

  @Test("continues an unfinished command when more bytes arrive")
  func unfinished() throws {
    var decoder = RESPDecoder()
    let bytes = Array("*2\r\n$3\r\nGET\r\n$5\r\nab".utf8)
    #expect(try decoder.next(bytes.span) == nil)
    #expect(decoder.isWithinCommand)
    #expect(try decoder.next((bytes + Array("cde\r\n*1".utf8)).span) == bytes.count + 5)
    #expect(!decoder.isWithinCommand)
  }

  private func decode(
    _ text: String, _ limits: RESPLimits = RESPLimits()
  ) throws(RESPProtocolError) -> [[String]] {
    let decoded = Decoded(Array(text.utf8), limits, pieces: [text.utf8.count])
    if let error = decoded.error { throw error }
    return decoded.commands.map { $0.map { String(decoding: $0, as: UTF8.self) } }
  }
}
