/// The lines before an offset in the input, and the start of the offset's line.
struct LineCount: Hashable {
  /// Line feeds before the offset.
  var newlines = 0
  /// The absolute offset of the first byte of its line.
  var lineStart = 0
  /// UTF-8 continuation bytes between that byte and the offset: bytes that begin no character.
  var continuations = 0

  /// Advances over bytes that begin at an absolute offset.
  mutating func advance(over bytes: UnsafeBufferPointer<UInt8>, at offset: Int) {
    let found = Self.newlines(in: bytes)
    newlines += found
    guard found > 0, let last = bytes.lastIndex(of: 0x0A) else {
      continuations += Self.continuations(in: bytes)
      return
    }
    lineStart = offset + last + 1
    continuations = Self.continuations(in: UnsafeBufferPointer(rebasing: bytes[(last + 1)...]))
  }

  // Plain loops: the compiler vectorizes them.
  static func newlines(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var count = 0
    for byte in bytes { count &+= byte == 0x0A ? 1 : 0 }
    return count
  }

  static func continuations(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var count = 0
    for byte in bytes { count &+= byte & 0xC0 == 0x80 ? 1 : 0 }
    return count
  }
}
