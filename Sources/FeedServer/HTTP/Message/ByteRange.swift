/// The one range of bytes that a request asks for (RFC 9110, section 14.1.2).
enum ByteRange: Sendable, Hashable {
  /// From an offset to another, or to the end.
  case from(Int, through: Int?)
  /// The last so many bytes.
  case suffix(Int)

  /// Reads the field. Nil where it asks for several ranges, for other units, or is malformed: then
  /// it is passed over, as section 14.2 allows, and the whole is sent.
  init?(_ field: String) {
    guard field.lowercased().hasPrefix("bytes=") else { return nil }
    let text = field.dropFirst(6).filter { $0 != " " && $0 != "\t" }
    guard let dash = text.firstIndex(of: "-"), !text.contains(",") else { return nil }
    let (first, last) = (text[..<dash], text[text.index(after: dash)...])
    let digits = Set("0123456789")
    guard first.allSatisfy(digits.contains), last.allSatisfy(digits.contains) else { return nil }
    // What no integer holds lies behind the end of everything.
    let end = last.isEmpty ? nil : Int(last) ?? .max
    if first.isEmpty {
      guard let end else { return nil }
      self = .suffix(end)
    } else {
      let start = Int(first) ?? .max
      if let end, end < start { return nil }
      self = .from(start, through: end)
    }
  }

  /// The bytes of a whole of this length; nil where there are none of them.
  func bytes(of length: Int) -> Range<Int>? {
    switch self {
    case .from(let start, let end):
      guard start < length else { return nil }
      return start..<min(end ?? length - 1, length - 1) + 1
    case .suffix(let count):
      guard count > 0, length > 0 else { return nil }
      return max(length - count, 0)..<length
    }
  }
}
