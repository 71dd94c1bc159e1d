/// Finds replies in the bytes that a server has sent, in RESP2 or RESP3.
///
/// Nothing is copied: a reply is a list of nodes that refer to its bytes. The progress in an
/// incomplete reply is stored, so that no byte is parsed again with the next packet. Attributes are
/// validated and left out.
package struct RESPReplyDecoder: Sendable {
  /// An element of a reply. The elements of an array, set, map or push follow it.
  package struct Node: Hashable, Sendable, BitwiseCopyable {
    package enum Kind: Sendable, BitwiseCopyable {
      case status
      case error
      case blob
      case integer
      case double
      case boolean
      case bigNumber
      case null
      case array
      case set
      case map
      case push
    }

    package let kind: Kind
    /// Where the text starts; 0 for an element without text.
    package let offset: UInt32
    /// The bytes of the text, or the number of elements: a map has two for each entry.
    package let count: UInt32
    /// The value of an integer or boolean, or the bits of a double.
    package let value: Int64

    package var range: Range<Int> { Int(offset)..<Int(offset) + Int(count) }
  }

  /// An array, set, map or attribute whose elements are not complete.
  private struct Level {
    var missing: Int
    let isAttribute: Bool
  }

  package let limits: RESPReplyLimits
  /// The elements of the last reply, each before its own elements.
  package private(set) var nodes: [Node] = []
  /// The number of bytes, from the start of the reply, without which there is no progress. Nil if
  /// that is the end of a line.
  package private(set) var neededBytes: Int?

  private var levels: [Level] = []
  private var attributes = 0
  /// The elements that the headers have stated.
  private var stated = 0
  /// The position up to which the reply has been parsed.
  private var position = 0
  /// The position up to which no line end was found.
  private var searched = 0
  /// The header of the current blob: its type, and where its bytes start and end.
  private var blob: (type: UInt8, start: Int, end: Int)?

  package init(limits: RESPReplyLimits = RESPReplyLimits()) {
    var limits = limits
    // The nodes have offsets of 32 bits.
    limits.replyBytes = min(limits.replyBytes, Int(UInt32.max))
    self.limits = limits
  }

  /// Whether a reply is incomplete.
  package var isWithinReply: Bool { position > 0 || searched > 0 }

  /// Finds the end of the reply at the beginning of the bytes.
  ///
  /// - Parameter bytes: the bytes from the beginning of the reply. The bytes of an incomplete reply
  ///   are passed again together with those that follow.
  /// - Returns: the length of the reply; nil if it is incomplete.
  package mutating func next(_ bytes: Span<UInt8>) throws(RESPReplyError) -> Int? {
    if position == 0, blob == nil { nodes.removeAll(keepingCapacity: nodes.capacity <= 1 << 10) }
    while true {
      let isComplete: Bool
      if let blob {
        guard try takeBlob(blob, bytes) else { return nil }
        isComplete = endElement()
      } else {
        guard let line = try nextLine(bytes) else { return nil }
        switch try takeLine(line, bytes) {
        case .ended: isComplete = endElement()
        case .opened: isComplete = false
        }
      }
      guard isComplete else { continue }
      let length = position
      (position, searched, stated, neededBytes) = (0, 0, 0, nil)
      return length
    }
  }

  private enum Step {
    case ended
    case opened
  }

  /// The line at the position, without its type and line end; nil if it is incomplete.
  private mutating func nextLine(_ bytes: Span<UInt8>) throws(RESPReplyError) -> Range<Int>? {
    var place = max(searched, position)
    // The error must not depend on how many bytes have arrived.
    let end = min(position + limits.lineBytes, limits.replyBytes)
    let limit = min(bytes.count, end)
    while place < limit, bytes[place] != UInt8(ascii: "\n") { place += 1 }
    guard place < limit else {
      guard bytes.count < end else {
        throw error(end < position + limits.lineBytes ? .tooLongReply : .tooLongLine)
      }
      searched = place
      neededBytes = nil
      return nil
    }
    guard place > position + 1, bytes[place - 1] == UInt8(ascii: "\r") else {
      throw error(.missingLineEnd)
    }
    searched = place + 1
    return position + 1..<place - 1
  }

  private mutating func takeLine(
    _ line: Range<Int>, _ bytes: Span<UInt8>
  ) throws(RESPReplyError) -> Step {
    let text = bytes.extracting(line)
    let type = bytes[position]
    switch type {
    case UInt8(ascii: "+"): add(.status, line)
    case UInt8(ascii: "-"): add(.error, line)
    case UInt8(ascii: ":"): add(.integer, value: try integer(text, .invalidValue))
    case UInt8(ascii: "_"):
      guard text.isEmpty else { throw error(.invalidValue) }
      add(.null)
    case UInt8(ascii: "#"):
      guard text.count == 1, text[0] == UInt8(ascii: "t") || text[0] == UInt8(ascii: "f") else {
        throw error(.invalidValue)
      }
      add(.boolean, value: text[0] == UInt8(ascii: "t") ? 1 : 0)
    case UInt8(ascii: ","): add(.double, value: Int64(bitPattern: try double(text).bitPattern))
    case UInt8(ascii: "("):
      guard Self.isBigNumber(text) else { throw error(.invalidValue) }
      add(.bigNumber, line)
    case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "="):
      return try openBlob(type, text, at: searched)
    case UInt8(ascii: "*"): return try open(.array, text, isNullable: true)
    case UInt8(ascii: "~"): return try open(.set, text)
    case UInt8(ascii: "%"): return try open(.map, text)
    case UInt8(ascii: ">"): return try open(.push, text)
    case UInt8(ascii: "|"): return try openAttribute(text)
    default: throw error(.unknownType(type))
    }
    position = searched
    return .ended
  }

  // MARK: Blobs

  private mutating func openBlob(
    _ type: UInt8, _ text: Span<UInt8>, at start: Int
  ) throws(RESPReplyError) -> Step {
    let count = try integer(text, .invalidLength)
    if count == -1, type == UInt8(ascii: "$") {
      add(.null)
      position = searched
      return .ended
    }
    guard count >= (type == UInt8(ascii: "=") ? 4 : 0) else { throw error(.invalidLength) }
    guard count <= limits.replyBytes - start - 2 else { throw error(.tooLongReply) }
    blob = (type, start, start + Int(count))
    return .opened
  }

  /// Ends a blob; returns false if it is incomplete.
  private mutating func takeBlob(
    _ blob: (type: UInt8, start: Int, end: Int), _ bytes: Span<UInt8>
  ) throws(RESPReplyError) -> Bool {
    guard blob.end + 2 <= bytes.count else {
      neededBytes = blob.end + 2
      return false
    }
    guard bytes[blob.end] == UInt8(ascii: "\r"), bytes[blob.end + 1] == UInt8(ascii: "\n") else {
      throw error(.missingLineEnd)
    }
    var start = blob.start
    if blob.type == UInt8(ascii: "=") {
      // Three letters name the format of the text.
      guard bytes[start + 3] == UInt8(ascii: ":") else { throw error(.invalidValue) }
      start += 4
    }
    add(blob.type == UInt8(ascii: "!") ? .error : .blob, start..<blob.end)
    self.blob = nil
    position = blob.end + 2
    searched = position
    return true
  }

  // MARK: Levels

  private mutating func open(
    _ kind: Node.Kind, _ text: Span<UInt8>, isNullable: Bool = false
  ) throws(RESPReplyError) -> Step {
    let count = try integer(text, .invalidLength)
    if kind == .push {
      guard levels.isEmpty else { throw error(.misplacedPush) }
      guard count > 0 else { throw error(.invalidLength) }
    }
    if count == -1, isNullable {
      add(.null)
      position = searched
      return .ended
    }
    let elements = try elementCount(count, factor: kind == .map ? 2 : 1)
    add(kind, count: elements)
    return try push(elements, isAttribute: false)
  }

  private mutating func openAttribute(_ text: Span<UInt8>) throws(RESPReplyError) -> Step {
    let elements = try elementCount(try integer(text, .invalidLength), factor: 2)
    guard elements > 0 else {
      position = searched
      return .opened
    }
    attributes += 1
    return try push(elements, isAttribute: true)
  }

  private mutating func elementCount(
    _ count: Int64, factor: Int
  ) throws(RESPReplyError) -> Int {
    guard count >= 0 else { throw error(.invalidLength) }
    guard count <= (limits.elements - stated) / factor else { throw error(.tooManyElements) }
    stated += Int(count) * factor
    return Int(count) * factor
  }

  private mutating func push(_ elements: Int, isAttribute: Bool) throws(RESPReplyError) -> Step {
    guard elements > 0 else {
      position = searched
      return .ended
    }
    guard levels.count < limits.depth else { throw error(.tooDeep) }
    levels.append(Level(missing: elements, isAttribute: isAttribute))
    position = searched
    return .opened
  }

  /// Counts an element at its level and ends the levels that it completes.
  ///
  /// - Returns: true if the reply is complete.
  private mutating func endElement() -> Bool {
    while let level = levels.last {
      guard level.missing == 1 else {
        levels[levels.count - 1].missing -= 1
        return false
      }
      levels.removeLast()
      if level.isAttribute {
        // The element that the attribute belongs to follows.
        attributes -= 1
        return false
      }
    }
    return true
  }

  // MARK: Values

  private mutating func add(_ kind: Node.Kind, _ range: Range<Int>) {
    add(kind, offset: range.lowerBound, count: range.count)
  }

  private mutating func add(
    _ kind: Node.Kind, offset: Int = 0, count: Int = 0, value: Int64 = 0
  ) {
    guard attributes == 0 else { return }
    nodes.append(
      Node(
        kind: kind, offset: UInt32(truncatingIfNeeded: offset),
        count: UInt32(truncatingIfNeeded: count), value: value))
  }

  private func error(_ cause: RESPReplyError.Cause) -> RESPReplyError {
    RESPReplyError(cause, offset: position)
  }

  private func integer(
    _ text: Span<UInt8>, _ cause: RESPReplyError.Cause
  ) throws(RESPReplyError) -> Int64 {
    guard let value = Self.integer(text) else { throw error(cause) }
    return value
  }

  private static func integer(_ text: Span<UInt8>) -> Int64? {
    let isSigned = !text.isEmpty && (text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+"))
    guard text.count > (isSigned ? 1 : 0) else { return nil }
    let isNegative = text[0] == UInt8(ascii: "-")
    var value: Int64 = 0
    for index in (isSigned ? 1 : 0)..<text.count {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      let (product, overflows) = value.multipliedReportingOverflow(by: 10)
      // Negative, because the smallest integer has no positive counterpart.
      let (sum, isTooSmall) = product.subtractingReportingOverflow(Int64(digit))
      guard !overflows, !isTooSmall else { return nil }
      value = sum
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  private static func isBigNumber(_ text: Span<UInt8>) -> Bool {
    let start =
      !text.isEmpty && (text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+")) ? 1 : 0
    guard text.count > start else { return false }
    for index in start..<text.count where text[index] &- UInt8(ascii: "0") > 9 { return false }
    return true
  }

  private func double(_ bytes: Span<UInt8>) throws(RESPReplyError) -> Double {
    // No number has more characters; the text is copied.
    guard bytes.count <= 400 else { throw error(.invalidValue) }
    var text = ""
    for index in bytes.indices { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
    switch text {
    case "inf", "+inf": return .infinity
    case "-inf": return -.infinity
    case "nan", "-nan": return .nan
    default:
      let isDecimal = text.unicodeScalars.allSatisfy {
        "0123456789+-.eE".unicodeScalars.contains($0)
      }
      guard isDecimal, let value = Double(text) else { throw error(.invalidValue) }
      return value
    }
  }
}
