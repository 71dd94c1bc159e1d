/// The reason why bytes are not a command. The connection closes after the error reply.
package enum RESPProtocolError: Error, Hashable, Sendable {
  case tooLongInlineCommand
  case unbalancedQuotes
  case tooLongArgumentCount
  case invalidArgumentCount
  case unauthenticatedArgumentCount
  case tooLongBulkLength
  case expectedBulk(found: UInt8)
  case invalidBulkLength
  case unauthenticatedBulkLength
  case missingLineEnd
  case tooLongCommand

  /// The message of Redis, if it has one for the error.
  package var message: String {
    switch self {
    case .tooLongInlineCommand: "too big inline request"
    case .unbalancedQuotes: "unbalanced quotes in request"
    case .tooLongArgumentCount: "too big mbulk count string"
    case .invalidArgumentCount: "invalid multibulk length"
    case .unauthenticatedArgumentCount: "unauthenticated multibulk length"
    case .tooLongBulkLength: "too big bulk count string"
    case .expectedBulk(let byte): "expected '$', got '\(Self.printable(byte))'"
    case .invalidBulkLength: "invalid bulk length"
    case .unauthenticatedBulkLength: "unauthenticated bulk length"
    case .missingLineEnd: "expected a line end behind a bulk"
    case .tooLongCommand: "too big command"
    }
  }

  /// Whether the input exceeds a limit, as opposed to being malformed.
  package var isLimit: Bool {
    switch self {
    case .tooLongInlineCommand, .tooLongArgumentCount, .unauthenticatedArgumentCount,
      .tooLongBulkLength, .unauthenticatedBulkLength, .tooLongCommand:
      true
    case .unbalancedQuotes, .invalidArgumentCount, .expectedBulk, .invalidBulkLength,
      .missingLineEnd:
      false
    }
  }

  // A line end inside the message would end the reply.
  private static func printable(_ byte: UInt8) -> Character {
    (0x20..<0x7F).contains(byte) ? Character(Unicode.Scalar(byte)) : "?"
  }
}
