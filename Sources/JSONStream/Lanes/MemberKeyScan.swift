/// Finds the key of a member from the start of its value.
///
/// Keys need no memory this way: only the start of a record is passed between threads. The bytes
/// before it are valid JSON up to the previous value, so a scan backwards is exact.
enum MemberKeyScan {
  /// The range of the bytes between the quotes of the key whose value begins at `start`; nil if none
  /// is there.
  static func range(before start: Int, in bytes: UnsafePointer<UInt8>) -> Range<Int>? {
    var end = start - 1
    while end >= 0, RecordReader.isSpace(bytes[end]) || bytes[end] == 0x3A { end -= 1 }
    guard end > 0, bytes[end] == 0x22 else { return nil }
    var opening = end - 1
    while opening >= 0 {
      // A quote in a string has an odd number of backslashes before it.
      if bytes[opening] == 0x22, !isEscaped(opening, in: bytes) { return opening + 1..<end }
      opening -= 1
    }
    return nil
  }

  private static func isEscaped(_ quote: Int, in bytes: UnsafePointer<UInt8>) -> Bool {
    var first = quote
    while first > 0, bytes[first - 1] == 0x5C { first -= 1 }
    return (quote - first) % 2 == 1
  }
}
