/// Finds commands in the bytes that a client has sent: arrays of bulk strings (RESP), or lines of
/// words as people type them.
///
/// Only the words of a line are copied; other arguments are ranges of the bytes. The progress in an
/// incomplete command is stored, so that it is not parsed again with every packet.
package struct RESPDecoder: Sendable {
  /// The range of an argument.
  package struct Argument: Hashable, Sendable, BitwiseCopyable {
    package let offset: UInt32
    package let count: UInt32

    package var range: Range<Int> { Int(offset)..<Int(offset) + Int(count) }

    package init(_ range: Range<Int>) {
      offset = UInt32(truncatingIfNeeded: range.lowerBound)
      count = UInt32(truncatingIfNeeded: range.count)
    }
  }

  /// The limits of a command. A change applies from the next command on.
  package var limits: RESPLimits
  /// The arguments of the last command, its name first.
  package internal(set) var arguments: [Argument] = []
  /// The bytes of the arguments if the command was a line. Otherwise the arguments lie in the bytes
  /// of the command.
  package internal(set) var words: [UInt8] = []
  /// Whether the last command was a line of words.
  package internal(set) var isInline = false

  /// The number of missing arguments; nil before their count is known.
  private var missing: Int?
  /// The size of the current argument, if its length has been parsed.
  private var bulk: Int?
  /// The position up to which the command has been parsed.
  var position = 0

  package init(limits: RESPLimits = RESPLimits()) { self.limits = limits }

  /// Whether a command is incomplete.
  package var isWithinCommand: Bool { position > 0 }

  /// Finds the end of the command at the beginning of the bytes.
  ///
  /// - Parameter bytes: the bytes from the beginning of the command. The bytes of an incomplete
  ///   command are passed again together with those that follow.
  /// - Returns: the length of the command; an empty one has no `arguments`. Nil if the command is
  ///   incomplete.
  package mutating func next(_ bytes: Span<UInt8>) throws(RESPProtocolError) -> Int? {
    guard position < bytes.count else { return nil }
    if position == 0 {
      isInline = bytes[0] != UInt8(ascii: "*")
      arguments.removeAll(keepingCapacity: arguments.capacity <= 64)
    }
    if isInline { return try nextLine(bytes) }
    guard var rest = try argumentCount(bytes) else { return nil }
    while rest > 0 {
      guard try nextArgument(bytes) else {
        missing = rest
        return nil
      }
      rest -= 1
    }
    let length = position
    missing = nil
    position = 0
    return length
  }

  /// The number of missing arguments; nil if their count is incomplete.
  private mutating func argumentCount(
    _ bytes: Span<UInt8>
  ) throws(RESPProtocolError) -> Int? {
    if let missing { return missing }
    switch Self.number(bytes, from: 1) {
    case .unfinished: return nil
    case .tooLong: throw .tooLongArgumentCount
    case .invalid: throw .invalidArgumentCount
    case .number(let count, let end):
      guard count <= limits.arguments else {
        throw limits.isUnauthenticated ? .unauthenticatedArgumentCount : .invalidArgumentCount
      }
      position = end
      return max(count, 0)
    }
  }

  /// Parses one bulk string; returns false if it is incomplete.
  private mutating func nextArgument(_ bytes: Span<UInt8>) throws(RESPProtocolError) -> Bool {
    let count: Int
    if let bulk {
      count = bulk
    } else {
      guard let length = try bulkLength(bytes) else { return false }
      count = length
    }
    let end = position + count
    guard end + 2 <= limits.commandBytes else { throw .tooLongCommand }
    guard end + 2 <= bytes.count else {
      bulk = count
      return false
    }
    guard bytes[end] == UInt8(ascii: "\r"), bytes[end + 1] == UInt8(ascii: "\n") else {
      throw .missingLineEnd
    }
    arguments.append(Argument(position..<end))
    bulk = nil
    position = end + 2
    return true
  }

  /// Parses the length of a bulk string; nil if it is incomplete.
  private mutating func bulkLength(_ bytes: Span<UInt8>) throws(RESPProtocolError) -> Int? {
    guard position < bytes.count else { return nil }
    guard bytes[position] == UInt8(ascii: "$") else {
      throw .expectedBulk(found: bytes[position])
    }
    switch Self.number(bytes, from: position + 1) {
    case .unfinished: return nil
    case .tooLong: throw .tooLongBulkLength
    case .invalid: throw .invalidBulkLength
    case .number(let length, let end):
      guard length >= 0 else { throw .invalidBulkLength }
      guard length <= limits.bulkBytes else {
        throw limits.isUnauthenticated ? .unauthenticatedBulkLength : .invalidBulkLength
      }
      position = end
      return length
    }
  }

  private enum Number {
    case number(Int, end: Int)
    case unfinished
    case tooLong
    case invalid
  }

  /// Parses an integer and the line end after it.
  private static func number(_ bytes: Span<UInt8>, from start: Int) -> Number {
    var place = start
    var value = 0
    let isNegative = place < bytes.count && bytes[place] == UInt8(ascii: "-")
    if isNegative { place += 1 }
    let first = place
    while place < bytes.count {
      let byte = bytes[place]
      if byte == UInt8(ascii: "\r") {
        // Redis rejects "007" too.
        guard place > first, place == first + 1 || bytes[first] != UInt8(ascii: "0") else {
          return .invalid
        }
        guard place + 1 < bytes.count else { return .unfinished }
        guard bytes[place + 1] == UInt8(ascii: "\n") else { return .invalid }
        return .number(isNegative ? -value : value, end: place + 2)
      }
      guard byte &- UInt8(ascii: "0") <= 9 else { return .invalid }
      // Far above every limit and far below an overflow.
      guard place - first < 12 else { return .tooLong }
      value = value * 10 + Int(byte &- UInt8(ascii: "0"))
      place += 1
    }
    return .unfinished
  }
}
