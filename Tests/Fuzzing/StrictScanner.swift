/// Reads the tokens of one JSON text (RFC 8259), byte by byte and without recursion.
///
/// It shares no code and no method with the parser under test: no table, no separate input
/// validation, no splitter. It decides whether a text is valid, but locates exceeded limits only.
struct StrictScanner {
  enum Token {
    case beginObject, endObject, beginArray, endArray
    case key, string, number, null, `true`, `false`
    /// The text is complete.
    case end
  }

  private enum Awaited {
    case value, firstKey, key, firstElement, separator, nothing
  }

  let bytes: [UInt8]
  let end: Int
  let limits: Limits
  var place: Int
  /// Brackets open now, innermost last; true for an object.
  private var isObject: [Bool] = []
  private var awaited = Awaited.value
  /// The range of the last token.
  private(set) var token = 0..<0
  /// The offset of the token that exceeds a limit, if that made the text invalid.
  private(set) var limitPlace: Int?
  /// The value of the last key or string.
  var text: [UInt8] = []
  /// The length of that value as JSON text in its shortest form, quotes included.
  var minifiedCount = 0

  init(_ bytes: [UInt8], in range: Range<Int>, limits: Limits) {
    self.bytes = bytes
    self.limits = limits
    place = range.lowerBound
    end = range.upperBound
  }

  var depth: Int { isObject.count }

  /// The next token, or nil if the text is not JSON or exceeds a limit.
  mutating func next() -> Token? {
    skipSpace()
    if awaited == .separator, peek == 0x2C {
      place += 1
      awaited = isObject.last == true ? .key : .value
      skipSpace()
    }
    let start = place
    defer { token = start..<place }
    guard let byte = peek else { return awaited == .nothing ? .end : nil }
    switch awaited {
    case .nothing: return nil
    case .separator: return close(byte)
    case .firstKey: return byte == 0x7D ? close(byte) : key(byte)
    case .key: return key(byte)
    case .firstElement: return byte == 0x5D ? close(byte) : value(byte)
    case .value: return value(byte)
    }
  }

  var peek: UInt8? { place < end ? bytes[place] : nil }

  private mutating func skipSpace() {
    while let byte = peek, Self.isSpace(byte) { place += 1 }
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private mutating func close(_ byte: UInt8) -> Token? {
    guard let inObject = isObject.last, byte == (inObject ? 0x7D : 0x5D) else { return nil }
    place += 1
    isObject.removeLast()
    endValue()
    return inObject ? .endObject : .endArray
  }

  private mutating func endValue() { awaited = isObject.isEmpty ? .nothing : .separator }

  private mutating func key(_ byte: UInt8) -> Token? {
    let start = place
    guard byte == 0x22, readString(), isWithin(limits.keyBytes, text.count, start) else {
      return nil
    }
    skipSpace()
    guard peek == 0x3A else { return nil }
    place += 1
    awaited = .value
    return .key
  }

  private mutating func isWithin(_ limit: Int, _ count: Int, _ start: Int) -> Bool {
    if count > limit { limitPlace = start }
    return count <= limit
  }

  private mutating func value(_ byte: UInt8) -> Token? {
    let start = place
    switch byte {
    case 0x7B: return open(object: true)
    case 0x5B: return open(object: false)
    case 0x22:
      guard readString(), isWithin(limits.stringBytes, text.count, start) else { return nil }
      endValue()
      return .string
    case 0x2D, 0x30...0x39:
      guard readNumber(), isWithin(limits.numberBytes, place - start, start) else { return nil }
      endValue()
      return .number
    case 0x6E: return word("null", .null)
    case 0x74: return word("true", .true)
    case 0x66: return word("false", .false)
    default: return nil
    }
  }

  private mutating func open(object: Bool) -> Token? {
    guard isWithin(limits.depth, isObject.count + 1, place) else { return nil }
    place += 1
    isObject.append(object)
    awaited = object ? .firstKey : .firstElement
    return object ? .beginObject : .beginArray
  }

  private mutating func word(_ word: StaticString, _ token: Token) -> Token? {
    let fits = word.withUTF8Buffer { word in
      end - place >= word.count && word.indices.allSatisfy { bytes[place + $0] == word[$0] }
    }
    guard fits else { return nil }
    place += word.utf8CodeUnitCount
    endValue()
    return token
  }
}
