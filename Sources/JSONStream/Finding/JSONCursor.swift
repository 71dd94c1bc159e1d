import CFeedScan

/// Walks over JSON text from value to value, without a copy and without recursion.
///
/// It finds the extents of values; it does not validate them. Valid JSON gives exactly its values.
/// Any other text gives some values or none: the walk then stops, and ``isStopped`` is true. Every
/// step consumes text, so each walk ends.
package struct JSONCursor: ~Escapable {
  /// The kind of a value, by its first byte.
  package enum Kind: Sendable, Hashable {
    case object, array, string, number, `true`, `false`, null

    /// Whether the value is an object or array.
    package var isContainer: Bool { self == .object || self == .array }
  }

  /// The key of a member, or another string, as written in the text.
  package struct Text: Sendable, Hashable {
    /// The bytes between the quotes.
    package let range: Range<Int>
    /// Whether they have an escape, so that they are not the value itself.
    package let isEscaped: Bool

    package init(_ range: Range<Int>, isEscaped: Bool) {
      self.range = range
      self.isEscaped = isEscaped
    }
  }

  /// The text in which the cursor moves.
  package let bytes: RawSpan
  /// The offset of the next byte to be read.
  package private(set) var position: Int
  /// True once the text has ended inside a value or turned out not to be JSON. The cursor then
  /// returns no more values.
  package private(set) var isStopped = false

  /// - Parameter position: where a value begins, possibly after white space.
  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan, at position: Int = 0) {
    self.bytes = bytes
    self.position = min(max(position, 0), bytes.byteCount)
  }

  /// Skips white space. Returns the next byte, which is not consumed; nil at the end of the text.
  @inline(__always)
  package mutating func peek() -> UInt8? {
    while position < bytes.byteCount {
      let byte = bytes.byte(at: position)
      guard Self.isSpace(byte) else { return byte }
      position += 1
    }
    return nil
  }

  /// The kind of the value that follows; nil at the end of the text and where no value begins.
  @inline(__always)
  package mutating func nextKind() -> Kind? {
    guard !isStopped, let byte = peek() else { return nil }
    return Self.kind(byte)
  }

  /// Skips a value.
  ///
  /// - Returns: its bytes; nil if the text ends inside it or no value follows, and the cursor has
  ///   stopped. A number at the end of the text is complete.
  package mutating func skipValue() -> Range<Int>? {
    guard let kind = nextKind() else {
      stop()
      return nil
    }
    let start = position
    switch kind {
    case .object, .array: skipContainer()
    case .string: _ = skipString()
    case .number, .true, .false, .null: skipScalar()
    }
    return isStopped ? nil : start..<position
  }

  /// Consumes the opening bracket of an object or array.
  ///
  /// - Returns: the kind; nil if another value follows, which is not consumed.
  package mutating func enter() -> Kind? {
    guard let kind = nextKind(), kind.isContainer else { return nil }
    position += 1
    return kind
  }

  /// Consumes the key of the next member of the object that was entered, and its colon. The caller
  /// then consumes the value.
  ///
  /// - Returns: nil after the last member, when the closing bracket has been consumed.
  package mutating func nextKey() -> Text? {
    guard let byte = nextItem(before: 0x7D) else { return nil }
    guard byte == 0x22, let key = skipString(), peek() == 0x3A else {
      stop()
      return nil
    }
    position += 1
    return key
  }

  /// Moves to the next element of the array that was entered. The caller then consumes the value.
  ///
  /// - Returns: its kind; nil after the last element, when the closing bracket has been consumed.
  package mutating func nextElement() -> Kind? {
    guard let byte = nextItem(before: 0x5D) else { return nil }
    guard let kind = Self.kind(byte) else {
      stop()
      return nil
    }
    return kind
  }

  /// Consumes a string.
  ///
  /// - Returns: nil if another value follows, which is not consumed, or if the text ends in it.
  package mutating func nextString() -> Text? {
    guard nextKind() == .string else { return nil }
    return skipString()
  }

  /// Stops the walk.
  private mutating func stop() {
    isStopped = true
    position = bytes.byteCount
  }

  /// The first byte of the next item of a container, after the comma before it; nil if the
  /// container or the text has ended.
  @inline(__always)
  private mutating func nextItem(before close: UInt8) -> UInt8? {
    guard !isStopped, var byte = peek() else {
      stop()
      return nil
    }
    if byte == 0x2C {
      position += 1
      guard let next = peek() else {
        stop()
        return nil
      }
      byte = next
    }
    if byte == close {
      position += 1
      return nil
    }
    return byte
  }

  // MARK: Skipping

  private static let kernel = feedscan_best_kernel()

  /// Skips to the bracket that closes the one at the position. Only the depth counts: the types of
  /// the brackets inside are not compared.
  private mutating func skipContainer() {
    let count = bytes.byteCount
    let start = position
    // The kernel reads the bytes from the position on, and none after the last.
    let end = bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return count + 1 }
      return feedscan_skip(
        base.assumingMemoryBound(to: UInt8.self), start, count, Self.kernel)
    }
    if end > count { stop() } else { position = end }
  }

  /// Skips the string whose quote is at the position.
  @inline(__always)
  private mutating func skipString() -> Text? {
    let start = position + 1
    var offset = start
    var isEscaped = false
    let count = bytes.byteCount
    while true {
      // In bounds, as eight bytes are left.
      while count - offset >= 8,
        !Self.hasQuote(bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      {
        offset += 8
      }
      guard offset < count else { break }
      let byte = bytes.byte(at: offset)
      if byte == 0x22 {
        position = offset + 1
        return Text(start..<offset, isEscaped: isEscaped)
      }
      if byte == 0x5C {
        isEscaped = true
        offset += 1
      }
      offset += 1
    }
    stop()
    return nil
  }

  /// True if one of eight bytes is a quote or a backslash. Subtracting 1 from a zero byte sets its
  /// highest bit.
  @inline(__always)
  private static func hasQuote(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let (quotes, backslashes) = (word ^ (0x22 &* ones), word ^ (0x5C &* ones))
    let found = (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
    return found & (0x80 &* ones) != 0
  }

  /// Skips a number or literal: all bytes up to white space or a mark of the grammar.
  private mutating func skipScalar() {
    while position < bytes.byteCount {
      switch bytes.byte(at: position) {
      case 0x20, 0x09, 0x0A, 0x0D, 0x2C, 0x3A, 0x22, 0x5B, 0x5D, 0x7B, 0x7D, 0x1E: return
      default: position += 1
      }
    }
  }

  // MARK: Bytes

  @inline(__always)
  private static func kind(_ byte: UInt8) -> Kind? {
    switch byte {
    case 0x7B: .object
    case 0x5B: .array
    case 0x22: .string
    case 0x2D, 0x30...0x39: .number
    case 0x74: .true
    case 0x66: .false
    case 0x6E: .null
    default: nil
    }
  }

  @inline(__always)
  package static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}
