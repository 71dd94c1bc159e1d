/// How an input is compressed.
enum InputFormat: Sendable, Equatable {
  case plain
  case gzip
  case zstd
  /// A format that is recognized but not supported.
  case foreign(ForeignFormat)
}

/// The first bytes of an input, which determine its format. File names are ignored.
///
/// Bytes that may begin a JSON text determine plain input at once. Other bytes are collected until
/// they identify the format, so that the error can name it.
struct InputHead: Sendable {
  /// The bytes that always determine the format.
  static let maximumCount = 4 << 10

  private static let magicNumbers: [(bytes: [ClosedRange<UInt8>], format: InputFormat)] =
    [
      // RFC 1952
      ([0x1F...0x1F, 0x8B...0x8B], .gzip),
      // RFC 8878: a frame, and a frame to be skipped
      ([0x28...0x28, 0xB5...0xB5, 0x2F...0x2F, 0xFD...0xFD], .zstd),
      ([0x50...0x5F, 0x2A...0x2A, 0x4D...0x4D, 0x18...0x18], .zstd),
    ] + ForeignFormat.magicNumbers.map { ($0.bytes, .foreign($0.format)) }

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
    var result: Int?
    var failure: JSONError?
    let more = [UInt8](unsafeUninitializedCapacity: Self.maximumCount - bytes.count) {
      space, count in
      do throws(JSONError) {
        result = try read(UnsafeMutableRawBufferPointer(space))
        count = result ?? 0
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    if result != nil { append(more) }
    return result
  }

  /// Appends bytes of the input; an empty collection means that the input has ended.
  mutating func append(_ more: some Collection<UInt8>) {
    bytes += more
    let isWhole = more.isEmpty || bytes.count >= Self.maximumCount
    let candidates = Self.magicNumbers.filter { magic in
      zip(magic.bytes, bytes).allSatisfy { $0.contains($1) }
    }
    if !isWhole, candidates.contains(where: { $0.bytes.count > bytes.count }) { return }
    // The byte order mark of UTF-32 begins with that of UTF-16.
    let complete = candidates.filter { $0.bytes.count <= bytes.count }
    if let longest = complete.max(by: { $0.bytes.count < $1.bytes.count }) {
      format = longest.format
    } else {
      format = textFormat(isWhole: isWhole)
    }
  }

  /// The format of bytes without a magic number; nil if more of them are needed.
  private func textFormat(isWhole: Bool) -> InputFormat? {
    switch ForeignFormat.recognized(inText: bytes, isWhole: isWhole) {
    case .json: .plain
    case .undecided: nil
    case .foreign(let format): .foreign(format)
    }
  }

  /// Removes and returns the first bytes.
  mutating func takeBytes(atMost count: Int) -> [UInt8] {
    defer { bytes.removeFirst(min(count, bytes.count)) }
    return Array(bytes.prefix(count))
  }
}
