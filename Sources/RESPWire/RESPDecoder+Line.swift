// Commands that are lines of words, with the quotes and escapes of Redis.
extension RESPDecoder {
  mutating func nextLine(_ bytes: Span<UInt8>) throws(RESPProtocolError) -> Int? {
    var place = position
    while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
    guard place <= limits.inlineBytes else { throw .tooLongInlineCommand }
    guard place < bytes.count else {
      position = place
      return nil
    }
    position = 0
    words.removeAll(keepingCapacity: words.capacity <= 1 << 10)
    try split(bytes.extracting(0..<place))
    guard arguments.count <= limits.arguments else { throw .tooLongInlineCommand }
    return place + 1
  }

  private mutating func split(_ line: Span<UInt8>) throws(RESPProtocolError) {
    var place = 0
    while true {
      while place < line.count, Self.isSpace(line[place]) { place += 1 }
      guard place < line.count else { return }
      let start = words.count
      while place < line.count, !Self.isSpace(line[place]) {
        switch line[place] {
        case UInt8(ascii: "\""): try takeQuoted(line, &place, quote: UInt8(ascii: "\""))
        case UInt8(ascii: "'"): try takeQuoted(line, &place, quote: UInt8(ascii: "'"))
        default:
          words.append(line[place])
          place += 1
        }
      }
      arguments.append(Argument(start..<words.count))
    }
  }

  /// Parses quoted text. The closing quote ends the word.
  private mutating func takeQuoted(
    _ line: Span<UInt8>, _ place: inout Int, quote: UInt8
  ) throws(RESPProtocolError) {
    place += 1
    while place < line.count {
      let byte = line[place]
      if byte == quote {
        place += 1
        guard place == line.count || Self.isSpace(line[place]) else { throw .unbalancedQuotes }
        return
      }
      if byte == UInt8(ascii: "\\"), place + 1 < line.count {
        if quote == UInt8(ascii: "\"") {
          takeEscape(line, &place)
          continue
        }
        if line[place + 1] == quote { place += 1 }
      }
      words.append(line[place])
      place += 1
    }
    throw .unbalancedQuotes
  }

  /// Parses a backslash escape.
  private mutating func takeEscape(_ line: Span<UInt8>, _ place: inout Int) {
    if line[place + 1] == UInt8(ascii: "x"), place + 3 < line.count,
      let high = Self.hexadecimal(line[place + 2]), let low = Self.hexadecimal(line[place + 3])
    {
      words.append(high << 4 | low)
      place += 4
      return
    }
    switch line[place + 1] {
    case UInt8(ascii: "n"): words.append(0x0A)
    case UInt8(ascii: "r"): words.append(0x0D)
    case UInt8(ascii: "t"): words.append(0x09)
    case UInt8(ascii: "b"): words.append(0x08)
    case UInt8(ascii: "a"): words.append(0x07)
    case let other: words.append(other)
    }
    place += 2
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
