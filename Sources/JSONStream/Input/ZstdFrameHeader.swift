/// The first bytes of a zstd frame, kept to report the window size of a rejected frame.
///
/// zstd has a function for that, but only in its unstable API.
struct ZstdFrameHeader {
  /// RFC 8878, section 3.1.1.1: magic number, descriptor, window, dictionary, content size.
  private static let longest = 4 + 1 + 1 + 4 + 8

  private var bytes: [UInt8] = []

  /// Appends the bytes at `offset` in the frame; skips those that it already has.
  mutating func append(_ piece: UnsafeRawBufferPointer, at offset: Int) {
    guard bytes.count < Self.longest, offset <= bytes.count else { return }
    bytes += piece.dropFirst(bytes.count - offset).prefix(Self.longest - bytes.count)
  }

  /// The window size: the bytes of content that a decoder must keep. Nil if the header is cut off.
  var windowSize: UInt64? {
    guard bytes.count > 5 else { return nil }
    let descriptor = bytes[4]
    let isSingleSegment = descriptor & 0x20 != 0
    if isSingleSegment { return contentSize(descriptor) }
    let base = UInt64(1) << (10 + bytes[5] >> 3)
    return base + base / 8 * UInt64(bytes[5] & 7)
  }

  private func contentSize(_ descriptor: UInt8) -> UInt64? {
    let dictionaryLength = [0, 1, 2, 4][Int(descriptor & 3)]
    let length = [1, 2, 4, 8][Int(descriptor >> 6)]
    let field = bytes.dropFirst(5 + dictionaryLength).prefix(length)
    guard field.count == length else { return nil }
    let value = field.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return length == 2 ? value + 256 : value
  }
}
