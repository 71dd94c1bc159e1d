import RESPWire
import TestSupport
import Testing

@Suite("The decoder of replies")
struct ReplyDecoderTests {
  @Test("finds each type of RESP2 and RESP3")
  func types() throws {
    let replies: [(String, RESPReplyDecoder.Node.Kind, String)] = [
      ("+OK\r\n", .status, "OK"), ("-ERR no\r\n", .error, "ERR no"),
      ("$3\r\na\r\n\r\n", .blob, "a\r\n"),
      ("$0\r\n\r\n", .blob, ""), ("=7\r\ntxt:abc\r\n", .blob, "abc"),
      ("!5\r\nERR x\r\n", .error, "ERR x"),
      ("(-123456789012345678901234567890\r\n", .bigNumber, "-123456789012345678901234567890"),
      ("$-1\r\n", .null, ""), ("*-1\r\n", .null, ""), ("_\r\n", .null, ""),
    ]
    for (text, kind, content) in replies {
      let reply = try #require(decoded(text).replies.first)
      #expect(reply.nodes.map(\.kind) == [kind])
      #expect(reply.texts == [Array(content.utf8)])
    }
  }

  @Test(
    "has the values of integers, booleans and doubles",
    arguments: [
      (":0\r\n", 0), (":-7\r\n", -7), (":+7\r\n", 7), (":9223372036854775807\r\n", Int64.max),
      (":-9223372036854775808\r\n", .min), ("#t\r\n", 1), ("#f\r\n", 0),
      (",1.5\r\n", bits(1.5)), (",-2e-3\r\n", bits(-2e-3)), (",inf\r\n", bits(.infinity)),
      (",-inf\r\n", bits(-.infinity)), (",10\r\n", bits(10)), (",nan\r\n", bits(.nan)),
    ])
  func values(_ text: String, _ value: Int64) {
    #expect(decoded(text).replies.first?.nodes.first?.value == value)
  }

  @Test("lists an element before its own elements")
  func levels() {
    let nodes = decoded("*3\r\n:1\r\n%1\r\n+k\r\n~1\r\n#t\r\n_\r\n").replies.first?.nodes
    #expect(nodes?.map(\.kind) == [.array, .integer, .map, .status, .set, .boolean, .null])
    #expect(nodes?.map(\.count) == [3, 0, 2, 1, 1, 0, 0])
  }

  @Test("skips attributes, including those before an element and inside another attribute")
  func attributes() {
    let text =
      "|1\r\n+ttl\r\n|1\r\n+a\r\n+b\r\n:9\r\n*2\r\n|1\r\n+x\r\n*1\r\n:8\r\n:1\r\n|0\r\n:2\r\n"
    let reply = decoded(text).replies.first
    #expect(reply?.nodes.map(\.kind) == [.array, .integer, .integer])
    #expect(reply?.nodes.map(\.value) == [0, 1, 2])
    #expect(reply?.length == text.utf8.count)
  }

  @Test("finds pushes between replies, and refuses one inside a reply")
  func pushes() {
    let push = ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n"
    let decoded = decoded("+OK\r\n\(push):1\r\n")
    #expect(decoded.replies.map { $0.nodes.first?.kind } == [.status, .push, .integer])
    #expect(self.decoded("*2\r\n:1\r\n\(push)").error == RESPReplyError(.misplacedPush, offset: 8))
  }

  @Test(
    "reports the cause and the offset of an error",
    arguments: [
      ("?\r\n", .unknownType(0x3F), 0), ("*2\r\n+a\r\nx\r\n", .unknownType(0x78), 8),
      ("$x\r\n", .invalidLength, 0), ("$-2\r\n", .invalidLength, 0), ("$?\r\n", .invalidLength, 0),
      ("$\r\n", .invalidLength, 0), ("*-2\r\n", .invalidLength, 0), ("%-1\r\n", .invalidLength, 0),
      ("=3\r\nabc\r\n", .invalidLength, 0), ("=4\r\nabcd\r\n", .invalidValue, 0),
      (">0\r\n", .invalidLength, 0), ("!-1\r\n", .invalidLength, 0),
      (":\r\n", .invalidValue, 0), (":-\r\n", .invalidValue, 0), (":1a\r\n", .invalidValue, 0),
      (":9223372036854775808\r\n", .invalidValue, 0), ("#x\r\n", .invalidValue, 0),
      ("_x\r\n", .invalidValue, 0), (",0x1p3\r\n", .invalidValue, 0), (",\r\n", .invalidValue, 0),
      ("(\r\n", .invalidValue, 0), ("(1.5\r\n", .invalidValue, 0), ("+a\n", .missingLineEnd, 0),
      ("\n", .missingLineEnd, 0), ("$1\r\nabc", .missingLineEnd, 0),
      ("*1\r\n$1\r\nabc", .missingLineEnd, 4),
    ] as [(String, RESPReplyError.Cause, Int)])
  func errors(_ text: String, _ cause: RESPReplyError.Cause, _ offset: Int) {
    #expect(decoded(text).error == RESPReplyError(cause, offset: offset))
  }

  @Test("refuses hostile lengths before their bytes arrive")
  func hostileLengths() {
    var limits = RESPReplyLimits()
    limits.replyBytes = 100
    limits.lineBytes = 20
    limits.elements = 10
    limits.depth = 3
    let cases: [(String, RESPReplyError.Cause)] = [
      ("$95\r\n", .tooLongReply), ("$9223372036854775807\r\n", .tooLongLine),
      ("$999999999999\r\n", .tooLongReply),
      ("*11\r\n", .tooManyElements), ("%6\r\n", .tooManyElements),
      ("*5\r\n*5\r\n*1\r\n", .tooManyElements),
      ("|6\r\n", .tooManyElements), ("*4294967296\r\n", .tooManyElements),
      ("*1\r\n*1\r\n*1\r\n*1\r\n", .tooDeep), ("|1\r\n*1\r\n*1\r\n|1\r\n", .tooDeep),
      ("+aaaaaaaaaaaaaaaaaaaaaa", .tooLongLine),
      ("*9\r\n" + String(repeating: "+aaaaaaaaaa\r\n", count: 9), .tooLongReply),
      // The reply reaches its limit before its last line does.
      (
        "*9\r\n" + String(repeating: "+aaaaaaaaaa\r\n", count: 7)
          + "+" + String(repeating: "a", count: 30),
        .tooLongReply
      ),
    ]
    for (text, cause) in cases {
      let whole = decoded(text, limits)
      #expect(whole.error?.cause == cause, "\(text)")
      #expect(DecodedReplies(Array(text.utf8), limits, parts: [1]) == whole, "\(text)")
    }
    #expect(decoded("$85\r\n", limits).error == nil)
  }

  @Test("gives the same result for a split at any byte", arguments: ReplySamples.all.indices)
  func everyBoundary(_ index: Int) {
    let bytes = ReplySamples.all[index] + Array("+next\r\n".utf8)
    let whole = DecodedReplies(bytes, parts: [bytes.count])
    for boundary in 1..<bytes.count {
      #expect(DecodedReplies(bytes, parts: [boundary, bytes.count]) == whole)
    }
    #expect(DecodedReplies(bytes, parts: [1]) == whole)
  }

  @Test(
    "gives the same result however input is split, damaged or not, within any limits",
    arguments: 0..<1_000)
  func parts(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bytes = (0..<4).flatMap { _ in ReplySamples.all.randomElement(using: &random) ?? [] }
    if seed % 4 > 0 { bytes = Mutation.mutated(bytes, using: &random) }
    var limits = RESPReplyLimits()
    if seed % 2 > 0 {
      limits.replyBytes = Int.random(in: 8...96, using: &random)
      limits.lineBytes = Int.random(in: 4...32, using: &random)
    }
    let whole = DecodedReplies(bytes, limits, parts: [bytes.count])
    for size in [1, 2, 7, Int.random(in: 1...40, using: &random)] {
      #expect(DecodedReplies(bytes, limits, parts: [size]) == whole)
    }
  }

  @Test("states the bytes that a blob needs")
  func neededBytes() throws {
    var decoder = RESPReplyDecoder()
    let start = Array("*2\r\n$65520\r\nab".utf8)
    #expect(try decoder.next(start.span) == nil)
    #expect(decoder.isWithinReply)
    #expect(decoder.neededBytes == 12 + 65_520 + 2)
    let blob = Array("*2\r\n$65520\r\n".utf8) + [UInt8](repeating: 7, count: 65_520) + [0x0D, 0x0A]
    #expect(try decoder.next(blob.span) == nil)
    #expect(decoder.neededBytes == nil)
    #expect(try decoder.next((blob + Array(":1\r\n".utf8)).span) == blob.count + 4)
    #expect(!decoder.isWithinReply)
  }

  private func decoded(
    _ text: String, _ limits: RESPReplyLimits = RESPReplyLimits()
  ) -> DecodedReplies {
    DecodedReplies(Array(text.utf8), limits, parts: [text.utf8.count])
  }

  private static func bits(_ value: Double) -> Int64 { Int64(bitPattern: value.bitPattern) }
}
