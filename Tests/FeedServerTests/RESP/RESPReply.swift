/// A response over RESP, as a client parses it.
indirect enum RESPReply: Equatable {
  case simple(String)
  case error(String)
  case integer(Int)
  case bulk([UInt8])
  case null
  case array([RESPReply])
  case set([RESPReply])
  /// Keys and values in turn.
  case map([RESPReply])
  case verbatim(String)

  /// Parses the response at the start of the bytes; nil if it is incomplete.
  init?(_ bytes: inout ArraySlice<UInt8>) throws {
    var rest = bytes
    guard let reply = try Self.read(&rest) else { return nil }
    bytes = rest
    self = reply
  }

  struct Malformed: Error {
    let text: String
  }

  private static func read(_ bytes: inout ArraySlice<UInt8>) throws -> RESPReply? {
    guard let type = bytes.first else { return nil }
    guard let end = bytes.firstIndex(of: 0x0D), end + 1 < bytes.endIndex else { return nil }
    let line = String(decoding: bytes[(bytes.startIndex + 1)..<end], as: UTF8.self)
    guard bytes[end + 1] == 0x0A else { throw Malformed(text: line) }
    bytes = bytes[(end + 2)...]
    switch Character(Unicode.Scalar(type)) {
    case "+": return .simple(line)
    case "-": return .error(line)
    case "_": return .null
    case "$", "=":
      guard let count = Int(line) else { throw Malformed(text: line) }
      if count < 0 { return .null }
      guard bytes.count >= count + 2 else { return nil }
      let body = Array(bytes.prefix(count))
      bytes = bytes.dropFirst(count)
      guard bytes.starts(with: [0x0D, 0x0A]) else { throw Malformed(text: "no line end") }
      bytes = bytes.dropFirst(2)
      return type == 0x24
        ? .bulk(body) : .verbatim(String(decoding: body.dropFirst(4), as: UTF8.self))
    case ":":
      guard let number = Int(line) else { throw Malformed(text: line) }
      return .integer(number)
    case "*", "~", "%":
      guard let count = Int(line) else { throw Malformed(text: line) }
      if count < 0 { return .null }
      return try elements(of: type, count, &bytes)
    default: throw Malformed(text: line)
    }
  }

  private static func elements(
    of type: UInt8, _ count: Int, _ bytes: inout ArraySlice<UInt8>
  ) throws -> RESPReply? {
    var elements: [RESPReply] = []
    for _ in 0..<(type == 0x25 ? 2 * count : count) {
      guard let element = try read(&bytes) else { return nil }
      elements.append(element)
    }
    return type == 0x2A ? .array(elements) : type == 0x7E ? .set(elements) : .map(elements)
  }

  static func text(_ text: String) -> RESPReply { .bulk(Array(text.utf8)) }

  /// The text of a bulk string.
  var text: String? {
    switch self {
    case .bulk(let bytes): String(decoding: bytes, as: UTF8.self)
    case .simple(let text), .verbatim(let text), .error(let text): text
    default: nil
    }
  }

  var integer: Int? { if case .integer(let number) = self { number } else { nil } }

  var elements: [RESPReply] {
    switch self {
    case .array(let elements), .set(let elements), .map(let elements): elements
    default: []
    }
  }

  /// The values of a map by their keys; RESP2 sends it as an array.
  var values: [String: RESPReply] {
    let elements = elements
    var values: [String: RESPReply] = [:]
    for index in stride(from: 0, to: elements.count - 1, by: 2) {
      values[elements[index].text ?? ""] = elements[index + 1]
    }
    return values
  }
}
