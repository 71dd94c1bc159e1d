/// How an input is packed.
enum InputFormat: Sendable, Equatable {
  case plain
  case gzip
  case zstd
  /// Packed in a way that is known by its name alone.
  case foreign(ForeignFormat)
}

/// A packing that is not read here, so that a person is told what it is and what opens it.
struct ForeignFormat: Sendable, Equatable {
  let name: String
  /// The command that writes what is inside to its standard output, without the file's name.
  let command: String
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
    ([0xFD...0xFD, 0x37...0x37, 0x7A...0x7A, 0x58...0x58], foreign("xz", "xz -dc")),
    ([0x42...0x42, 0x5A...0x5A, 0x68...0x68, 0x31...0x39], foreign("bzip2", "bzip2 -dc")),
    ([0x50...0x50, 0x4B...0x4B, 0x03...0x03, 0x04...0x04], foreign("zip", "unzip -p")),
    ([0x04...0x04, 0x22...0x22, 0x4D...0x4D, 0x18...0x18], foreign("lz4", "lz4 -dc")),
    ([0x37...0x37, 0x7A...0x7A, 0xBC...0xBC, 0xAF...0xAF], foreign("7z", "7z x -so")),
  ]

  private static func foreign(_ name: String, _ command: String) -> InputFormat {
    .foreign(ForeignFormat(name: name, command: command))
  }

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
