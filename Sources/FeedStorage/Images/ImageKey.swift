import LMDB

/// The key of an image: the 128-bit hash of its URL.
struct ImageKey: Hashable, Sendable {
  let hash: UInt128

  init(_ hash: UInt128) { self.hash = hash }

  /// The image key at the beginning of a key of `images` or `bodies`; nil if it is too short.
  init?(_ bytes: RawSpan) {
    guard let hash = bytes.bigEndian(at: 0, as: UInt128.self) else { return nil }
    self.hash = hash
  }

  /// Big-endian, so that keys sort like hashes.
  var bytes: InlineArray<2, UInt64> {
    [UInt64(truncatingIfNeeded: hash >> 64).bigEndian, UInt64(truncatingIfNeeded: hash).bigEndian]
  }

  /// The key of a chunk of the image's body, also big-endian.
  func chunk(_ number: UInt32) -> InlineArray<5, UInt32> {
    [word(3), word(2), word(1), word(0), number.bigEndian]
  }

  /// A quarter of the hash, counted from the least significant one.
  @inline(__always)
  private func word(_ index: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: hash >> (32 * UInt128(index))).bigEndian
  }
}
