/// The single byte range of a request (RFC 9110, section 14.1.2).
enum ByteRange: Sendable, Hashable {
  /// From an offset through another, or to the end.
  case from(Int, through: Int?)
  /// The last bytes, by their count.
  case suffix(Int)

  /// Parses the field. Nil for several ranges, other units, or a malformed field. Such a field is
  /// ignored, as section 14.2 allows, and the whole is sent.
  init?(_ field: String) {
    guard field.lowercased().hasPrefix("bytes=") else { return nil }
    let text = field.dropFirst(6).filter { $0 != " " && $0 != "\t" }
    guard let dash = text.firstIndex(of: "-"), !text.contains(",") else { return nil }
    let (first, last) = (text[..<dash], text[text.index(after: dash)...])
    let digits = Set("0123456789")
    guard first.allSatisfy(digits.contains), last.allSatisfy(digits.contains) else { return nil }
    // A number too large for an integer is past any end.
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

  /// The range within content of this length; nil if it is empty.
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
