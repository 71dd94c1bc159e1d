import LMDB

/// The key of an image: the 128-bit hash of its URL.
struct ImageKey: Hashable, Sendable {
  let hash: UInt128

  init(_ hash: UInt128) { self.hash = hash }

  /// The key that a key of `images` or `bodies` begins with; nil where it is too short for one.
  init?(_ bytes: RawSpan) {
    guard let hash = bytes.bigEndian(at: 0, as: UInt128.self) else { return nil }
    self.hash = hash
  }

  /// Big-endian, so that keys sort as hashes do.
  var bytes: InlineArray<16, UInt8> {
    InlineArray { UInt8(truncatingIfNeeded: hash >> (8 * UInt128(15 - $0))) }
  }

  /// The key of a chunk of the image's body.
  func chunk(_ number: UInt32) -> InlineArray<20, UInt8> {
    InlineArray { position in
      position < 16
        ? UInt8(truncatingIfNeeded: hash >> (8 * UInt128(15 - position)))
        : UInt8(truncatingIfNeeded: number >> (8 * UInt32(19 - position)))
    }
  }
}
