/// Finds commands in the bytes that a client has sent so far: arrays of bulk strings (RESP), or
/// lines of words as people type them.
///
/// Nothing is copied but the words of a line: an argument is a place in the bytes. What has been
/// read of an unfinished command is kept, so that it is not read again with every packet.
package struct RESPDecoder: Sendable {
  /// Where an argument lies.
  package struct Argument: Hashable, Sendable, BitwiseCopyable {
    package let offset: UInt32
    package let count: UInt32

    package var range: Range<Int> { Int(offset)..<Int(offset) + Int(count) }

    package init(_ range: Range<Int>) {
      offset = UInt32(truncatingIfNeeded: range.lowerBound)
      count = UInt32(truncatingIfNeeded: range.count)
    }
  }

  /// What may be sent. A change counts from the next command on.
  package var limits: RESPLimits
  /// The arguments of the command that was found last, its name first.
  package internal(set) var arguments: [Argument] = []
  /// The words that arguments lie in where the command was a line; else they lie in the bytes of
  /// the command.
  package internal(set) var words: [UInt8] = []
  /// Whether the command that was found last was a line of words.
  package internal(set) var isInline = false

  /// The arguments that are still to come; nil before their count.
  private var missing: Int?
  /// The bytes of the argument whose length has been read.
  private var bulk: Int?
  /// Up to where the command has been read.
  var position = 0

  package init(limits: RESPLimits = RESPLimits()) { self.limits = limits }

  /// Whether a command has been begun.
  package var isWithinCommand: Bool { position > 0 }

  /// Looks for the end of the command with which the bytes begin.
  ///
  /// - Parameter bytes: those from the command's begin on, so that the bytes of an unfinished one
  ///   are given again together with what came after them.
  /// - Returns: the length of the command, whose `arguments` are none for an empty one; nil where
  ///   more is to come.
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

  /// The arguments to come; nil where their count has not ended.
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

  /// Reads one bulk string; false where it has not ended.
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

  /// Reads the length of a bulk string; nil where it has not ended.
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

  /// Reads a whole number and the line end behind it.
  private static func number(_ bytes: Span<UInt8>, from start: Int) -> Number {
    var place = start
    var value = 0
    let isNegative = place < bytes.count && bytes[place] == UInt8(ascii: "-")
    if isNegative { place += 1 }
    let first = place
    while place < bytes.count {
      let byte = bytes[place]
      if byte == UInt8(ascii: "\r") {
        // "007" is no number to Redis either.
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
