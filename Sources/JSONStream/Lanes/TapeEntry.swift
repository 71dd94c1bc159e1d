public import CFeedScan

/// One selected value of a record, as a lane wrote it to its tape. All zeros is an absent value.
///
/// The layout is a C struct, because the walk that replays records writes the same tape.
@_spi(Records) public typealias TapeEntry = feedscan_tape_entry

extension feedscan_tape_entry {
  /// What stands in an entry.
  @_spi(Records) public typealias Kind = feedscan_kind

  /// True if the text was unescaped and lies in the lane's arena, not in the chunk.
  @inlinable @inline(__always) var isInArena: Bool { flags & UInt8(FEEDSCAN_IN_ARENA) != 0 }

  /// True if the text lies in the chunk with its escapes, as in the values of a document.
  package var isEscaped: Bool { flags & UInt8(FEEDSCAN_ESCAPED) != 0 }

  @inline(__always)
  init(
    _ kind: Kind, flags: Int = 0, path: UInt16 = 0, length: Int, offset: Int, position: Int
  ) {
    // A chunk is no longer than a record may be, which 32 bits can hold.
    self.init(
      kind: kind, flags: UInt8(truncatingIfNeeded: flags), path: path,
      length: UInt32(truncatingIfNeeded: length), offset: UInt32(truncatingIfNeeded: offset),
      position: UInt32(truncatingIfNeeded: position))
  }

  /// The offset in the chunk of a byte of the value's token. Also orders entries by position.
  @_spi(Records) public var tokenByte: Int {
    let startsThere = kind == .number || (kind == .string && !isInArena)
    return Int(position) - (startsThere ? 0 : 1)
  }
}
