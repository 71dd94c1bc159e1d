/// How an input is packed.
enum InputFormat: Sendable {
  case plain
  case gzip
  case zstd
}

/// The first bytes of an input, which tell its format. File names tell nothing.
///
/// No JSON text begins as a compressed one does, so plain input is never mistaken.
struct InputHead: Sendable {
  /// Bytes that are enough to tell, whatever they are.
  static let longest = 4

  private static let magicNumbers: [(bytes: [ClosedRange<UInt8>], format: InputFormat)] = [
    // RFC 1952
    ([0x1F...0x1F, 0x8B...0x8B], .gzip),
    // RFC 8878: a frame, and a frame to be skipped
    ([0x28...0x28, 0xB5...0xB5, 0x2F...0x2F, 0xFD...0xFD], .zstd),
    ([0x50...0x5F, 0x2A...0x2A, 0x4D...0x4D, 0x18...0x18], .zstd),
  ]

  private(set) var bytes: [UInt8] = []
  /// Nil while the bytes could still become either.
  private(set) var format: InputFormat?

  /// Has `read` put further bytes at the beginning of a buffer, and takes them; no bytes say that
  /// the input has ended, nil that nothing has come.
  ///
  /// - Returns: what `read` has returned.
  mutating func append(
    _ read: (UnsafeMutableRawBufferPointer) throws(JSONError) -> Int?
  ) throws(JSONError) -> Int? {
    var few: UInt32 = 0
    let missing = min(Self.longest - bytes.count, MemoryLayout.size(ofValue: few))
    let count = try withUnsafeMutableBytes(of: &few) { (space) throws(JSONError) in
      try read(UnsafeMutableRawBufferPointer(rebasing: space[..<missing]))
    }
    if let count { withUnsafeBytes(of: few) { append($0[..<count]) } }
    return count
  }

  /// Takes further bytes of the input; none if it has ended.
  mutating func append(_ more: some Collection<UInt8>) {
    bytes += more
    let candidates = Self.magicNumbers.filter { magic in
      zip(magic.bytes, bytes).allSatisfy { $0.contains($1) }
    }
    if let whole = candidates.first(where: { $0.bytes.count <= bytes.count }) {
      format = whole.format
    } else if candidates.isEmpty || more.isEmpty {
      format = .plain
    }
  }

  /// Gives the first bytes away, once.
  mutating func takeBytes(atMost count: Int) -> [UInt8] {
    defer { bytes.removeFirst(min(count, bytes.count)) }
    return Array(bytes.prefix(count))
  }
}
