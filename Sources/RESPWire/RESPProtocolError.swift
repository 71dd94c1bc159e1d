/// Why bytes are not a command. The connection is closed behind the answer that says so.
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

  /// What Redis says of it, where it knows the fault.
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

  /// Whether what came is longer than it may be, in place of wrong.
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

  // A line end within the message would end the answer.
  private static func printable(_ byte: UInt8) -> Character {
    (0x20..<0x7F).contains(byte) ? Character(Unicode.Scalar(byte)) : "?"
  }
}
