/// The limits of one reply.
package struct RESPReplyLimits: Hashable, Sendable {
  /// The bytes of a whole reply: a value of 64 MiB and what surrounds it.
  package var replyBytes = 65 << 20
  /// The bytes of a line, such as an error message.
  package var lineBytes = 64 << 10
  /// The elements of a reply in all its levels.
  package var elements = 1 << 20
  /// The levels of arrays, sets and maps.
  package var depth = 16

  package init() {}
}

/// The reason why bytes are not a reply. The connection cannot be used after it.
package struct RESPReplyError: Error, Hashable, Sendable {
  package enum Cause: Hashable, Sendable {
    case unknownType(UInt8)
    case invalidLength
    case invalidValue
    case missingLineEnd
    /// An attribute or a push inside a reply, where no server sends one.
    case misplacedPush
    case tooLongLine
    case tooLongReply
    case tooManyElements
    case tooDeep
  }

  package let cause: Cause
  /// The offset in the reply at which the element with the error starts.
  package let offset: Int

  package init(_ cause: Cause, offset: Int) {
    self.cause = cause
    self.offset = offset
  }
}

extension RESPReplyError: CustomStringConvertible {
  package var description: String {
    let reason =
      switch cause {
      case .unknownType(let byte): "no element starts with the byte \(byte)"
      case .invalidLength: "an invalid length"
      case .invalidValue: "an invalid value"
      case .missingLineEnd: "a missing line end"
      case .misplacedPush: "a push inside a reply"
      case .tooLongLine: "a line longer than the limit"
      case .tooLongReply: "a reply longer than the limit"
      case .tooManyElements: "more elements than the limit"
      case .tooDeep: "more levels than the limit"
      }
    return "\(reason) at byte \(offset) of a reply"
  }
}
