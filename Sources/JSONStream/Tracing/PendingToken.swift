/// The unfinished token: its bytes so far and its offset.
///
/// YAJL reports that a token is malformed, but not where it starts, which may be many chunks ago.
/// This type keeps the token and finds its first invalid byte.
struct PendingToken {
  private var bytes: [UInt8] = []
  /// The absolute offset of its first byte; without a token, that of the next byte.
  private(set) var offset = 0
  /// True if the expected comma or colon has been read.
  private(set) var hasSeparator = false

  var count: Int { bytes.count }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    hasSeparator = false
  }

  /// Appends a chunk, in which YAJL has completed tokens up to `eventEnd`, if any.
  mutating func append(
    _ chunk: UnsafeBufferPointer<UInt8>, at start: Int, after eventEnd: Int?, due: Trace.Due
  ) {
    var from = 0
    if let eventEnd {
      removeAll()
      from = min(max(eventEnd - start, 0), chunk.count)
    }
    if bytes.isEmpty {
      from = skipSeparators(chunk, from, due: due)
      offset = start + from
    }
    bytes.append(contentsOf: chunk[from...])
  }

  // Skips white space, a separator if one is expected, and more white space.
  private mutating func skipSeparators(
    _ chunk: UnsafeBufferPointer<UInt8>, _ start: Int, due: Trace.Due
  ) -> Int {
    var index = start
    while index < chunk.count {
      let byte = chunk[index]
      if byte == separator(due), !hasSeparator {
        hasSeparator = true
      } else if byte != 0x20, byte != 0x0A, byte != 0x0D, byte != 0x09 {
        break
      }
      index += 1
    }
    return index
  }

  private func separator(_ due: Trace.Due) -> UInt8? {
    switch due {
    case .colon: 0x3A
    case .nextKey, .nextElement: 0x2C
    case .text, .firstKey, .firstElement, .nothing: nil
    }
  }

  /// True if it is a string, complete or not.
  var isString: Bool { bytes.first == 0x22 }

  /// The bytes of the token's well-formed prefix, as limits count them: for a string, those of its
  /// value.
  var soundCount: Int {
    guard let first = bytes.first else { return 0 }
    if first == 0x22 { return string.valueBytes }
    return first == 0x2D || Self.isDigit(first) ? numberPrefix : 0
  }

  /// The token as an unfinished string.
  var string: PendingString {
    var string = PendingString()
    _ = string.advance(over: bytes.dropFirst())
    return string
  }

  /// The fault of a token that YAJL has rejected, or that the end of the text has cut.
  func fault(due: Trace.Due, pointer: String, end: Int? = nil) -> TracingParser.Fault {
    if let fault = misplacement(due: due, pointer: pointer) { return fault }
    if let inner = innerFault {
      return TracingParser.Fault(
        kind: .syntax, reason: inner.reason, byteOffset: offset + inner.index, pointer: pointer)
    }
    return TracingParser.Fault(
      kind: .truncated, reason: "the input ends here, \(truncation(due)) is missing",
      byteOffset: end ?? offset + bytes.count, pointer: pointer)
  }

  private func truncation(_ due: Trace.Due) -> String {
    guard bytes.isEmpty else {
      return bytes[0] == 0x22 ? "the end of a string" : "the end of a value"
    }
    return expectation(due)
  }

  /// The fault of the first byte, if the grammar does not allow it here.
  func misplacement(due: Trace.Due, pointer: String) -> TracingParser.Fault? {
    guard let first = bytes.first, !isAllowed(first, due) else { return nil }
    return TracingParser.Fault(
      kind: .syntax, reason: "expected \(expectation(due)), found \(Self.name(first))",
      byteOffset: offset, pointer: pointer)
  }

  private func isAllowed(_ byte: UInt8, _ due: Trace.Due) -> Bool {
    switch due {
    case .text: Self.beginsValue(byte)
    case .firstKey: byte == 0x22 || byte == 0x7D
    case .colon: hasSeparator && Self.beginsValue(byte)
    case .nextKey: hasSeparator ? byte == 0x22 : byte == 0x7D
    case .firstElement: Self.beginsValue(byte) || byte == 0x5D
    case .nextElement: hasSeparator ? Self.beginsValue(byte) : byte == 0x5D
    case .nothing: false
    }
  }

  private func expectation(_ due: Trace.Due) -> String {
    switch due {
    case .text: "a JSON value"
    case .firstKey: "a key or '}'"
    case .colon: hasSeparator ? "a value" : "':'"
    case .nextKey: hasSeparator ? "a key" : "',' or '}'"
    case .firstElement: "a value or ']'"
    case .nextElement: hasSeparator ? "a value" : "',' or ']'"
    case .nothing: "the end of the text"
    }
  }

  private static func beginsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x22, 0x2D, 0x30...0x39, 0x5B, 0x66, 0x6E, 0x74, 0x7B: true
    default: false
    }
  }

  // For a string, its first illegal byte; for a malformed number or literal, its first byte.
  private var innerFault: (index: Int, reason: String)? {
    guard let first = bytes.first else { return nil }
    switch first {
    case 0x22: return stringFault
    case 0x74, 0x66, 0x6E: return literalFault
    case 0x2D, 0x30...0x39: return numberPrefix == bytes.count ? nil : (0, "a malformed number")
    default: return nil
    }
  }

  private var stringFault: (index: Int, reason: String)? {
    var index = 1
    while index < bytes.count {
      let byte = bytes[index]
      if byte < 0x20 { return (index, "\(Self.name(byte)) must be escaped in a string") }
      guard byte == 0x5C else {
        if byte == 0x22 { return nil }
        index += 1
        continue
      }
      guard index + 1 < bytes.count else { return nil }
      let escape = bytes[index + 1]
      guard #""\/bfnrtu"#.utf8.contains(escape) else {
        return (index, "an unknown escape in a string")
      }
      if escape == 0x75 {
        for digit in bytes[(index + 2)...].prefix(4) where !Self.isHexadecimal(digit) {
          return (index, "an escape without four hexadecimal digits")
        }
      }
      index += 2
    }
    return nil
  }

  private var literalFault: (index: Int, reason: String)? {
    let words: [StaticString] = ["true", "false", "null"]
    for word in words {
      let isCut = word.withUTF8Buffer { bytes.count <= $0.count && $0.starts(with: bytes) }
      if isCut { return nil }
    }
    return (0, "a malformed literal")
  }

  // The bytes of the longest prefix that can start a number (RFC 8259, section 6).
  private var numberPrefix: Int {
    var index = 0
    func accept(_ allowed: (UInt8) -> Bool) -> Bool {
      guard index < bytes.count, allowed(bytes[index]) else { return false }
      index += 1
      return true
    }
    func skipDigits() -> Bool {
      guard accept(Self.isDigit) else { return false }
      while accept(Self.isDigit) {}
      return true
    }
    _ = accept { $0 == 0x2D }
    guard accept({ $0 == 0x30 }) || skipDigits() else { return index }
    if accept({ $0 == 0x2E }), !skipDigits() { return index }
    if accept({ $0 | 0x20 == 0x65 }) {
      _ = accept { $0 == 0x2B || $0 == 0x2D }
      _ = skipDigits()
    }
    return index
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  static func name(_ byte: UInt8) -> String {
    switch byte {
    case 0x21..<0x7F: "'\(Character(Unicode.Scalar(byte)))'"
    default: "the byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
  }
}
