/// How an input is compressed.
enum InputFormat: Sendable, Equatable {
  case plain
  case gzip
  case zstd
  /// A format that is recognized but not supported.
  case foreign(ForeignFormat)
}

/// An unsupported format. The error names it and the command that decompresses it.
struct ForeignFormat: Sendable, Equatable {
  let name: String
  /// The command that writes the content to its standard output, without the file's name.
  let command: String
}

/// The first bytes of an input, which determine its format. File names are ignored.
///
/// No JSON text starts with a magic number, so plain input is always recognized.
struct InputHead: Sendable {
  /// The bytes that always determine the format.
  static let maximumCount = 4

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
  /// Nil until the bytes decide.
  private(set) var format: InputFormat?

  /// Appends the bytes that `read` writes at the start of a buffer. `read` returns their count, 0
  /// at the end of the input, or nil without data.
  ///
  /// - Returns: the result of `read`.
  mutating func append(
    _ read: (UnsafeMutableRawBufferPointer) throws(JSONError) -> Int?
  ) throws(JSONError) -> Int? {
    var few: UInt32 = 0
    let missing = min(Self.maximumCount - bytes.count, MemoryLayout.size(ofValue: few))
    let count = try withUnsafeMutableBytes(of: &few) { (space) throws(JSONError) in
      try read(UnsafeMutableRawBufferPointer(rebasing: space[..<missing]))
    }
    if let count { withUnsafeBytes(of: few) { append($0[..<count]) } }
    return count
  }

  /// Appends bytes of the input; an empty collection means that the input has ended.
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

  /// Removes and returns the first bytes.
  mutating func takeBytes(atMost count: Int) -> [UInt8] {
    defer { bytes.removeFirst(min(count, bytes.count)) }
    return Array(bytes.prefix(count))
  }
}
