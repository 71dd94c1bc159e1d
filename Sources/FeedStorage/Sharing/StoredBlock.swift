import FeedRecord
import LMDB

/// The identity of a block in a shared store: the segment, the part and the number.
package struct StoredBlockKey: Hashable, Sendable {
  package enum Part: Hashable, Sendable {
    case records
    case index(UInt8)
    /// The text around the records, where it is too long for a row.
    case envelope
  }

  package let segment: UInt64
  package let part: Part
  package let number: UInt32

  package init(segment: UInt64, part: Part, number: UInt32) {
    self.segment = segment
    self.part = part
    self.number = number
  }
}

extension SharedRow {
  /// The number of blocks of a segment, by part.
  func counts(of segment: UInt64) -> [(part: StoredBlockKey.Part, count: UInt32)] {
    guard let place = row.segments.firstIndex(where: { $0.identifier == segment }) else {
      return []
    }
    var counts: [(StoredBlockKey.Part, UInt32)] = [
      (.records, UInt32(clamping: row.segments[place].blockCount))
    ]
    for (index, count) in row.details.indexBlockCounts[place].enumerated() {
      counts.append((.index(UInt8(clamping: index)), count))
    }
    if place == 0, row.details.envelopeChunks > 0 {
      counts.append((.envelope, row.details.envelopeChunks))
    }
    return counts
  }

  /// The number of blocks of a segment.
  package func blockCount(of segment: UInt64) -> Int {
    counts(of: segment).reduce(0) { $0 + Int($1.count) }
  }

  /// Passes the keys of a segment's blocks, in the order of the parts.
  package func forEachBlockKey<Failure: Error>(
    of segment: UInt64, _ body: (StoredBlockKey) throws(Failure) -> Void
  ) throws(Failure) {
    for (part, count) in counts(of: segment) {
      for number in 0..<count {
        try body(StoredBlockKey(segment: segment, part: part, number: number))
      }
    }
  }
}

extension FeedDatabase {
  /// A position among the blocks of a segment: the place after the last passed block.
  package struct BlockPosition: Sendable {
    fileprivate var isIndex = false
    fileprivate var key: [UInt8] = []

    package init() {}
  }

  /// Passes stored blocks of a segment with their bytes, which are those of the memory map.
  ///
  /// While the segment is written, its records are passed as far as they have been committed. They
  /// do not change, unlike the indexes.
  ///
  /// - Parameters:
  ///   - position: where to begin
  ///   - withIndexes: whether to pass the indexes after the records
  ///   - maximumBytes: the number of bytes after which to stop, at least one block later. It bounds
  ///     how long the pages of the store are kept from being reused.
  /// - Returns: where to continue. At the end, no block is passed.
  /// - Throws: `damaged`; the error of `body`
  package func forEachBlock(
    of segment: UInt64, after position: BlockPosition, withIndexes: Bool = true, maximumBytes: Int,
    _ body: (StoredBlockKey, RawSpan) throws(StoreError) -> Void
  ) throws(StoreError) -> BlockPosition {
    var rest = maximumBytes
    var position = position
    try tables.environment.read { transaction throws(StoreError) in
      if !position.isIndex {
        try pass(segment, tables.blocks, &position, &rest, transaction, body)
        guard withIndexes, rest > 0 else { return }
        position = BlockPosition()
        position.isIndex = true
      }
      try pass(segment, tables.index, &position, &rest, transaction, body)
    }
    return position
  }

  private func pass(
    _ segment: UInt64, _ table: Table, _ position: inout BlockPosition, _ rest: inout Int,
    _ transaction: borrowing ReadTransaction,
    _ body: (StoredBlockKey, RawSpan) throws(StoreError) -> Void
  ) throws(StoreError) {
    do {
      var cursor = try transaction.cursor(table)
      // The next key after a key is the key with a zero.
      let prefix = StoreKey.number(segment)
      let start = position.key.isEmpty ? Array(copying: prefix.span.bytes) : position.key + [0]
      var isFound = try cursor.seek(atOrAfter: start.span.bytes)
      while isFound, rest > 0, cursor.key.bigEndian(at: 0, as: UInt64.self) == segment {
        if let key = try Self.blockKey(segment, cursor.key, cursor.value) {
          rest -= cursor.value.byteCount
          try body(key, cursor.value)
        }
        position.key = Array(copying: cursor.key)
        isFound = try cursor.next()
      }
    } catch {
      throw StoreError(wrapping: error, path: directory)
    }
  }

  /// Nil for the blocks of a run, which are parts of an unfinished index.
  private static func blockKey(
    _ segment: UInt64, _ key: RawSpan, _ value: RawSpan
  ) throws -> StoredBlockKey? {
    switch key.byteCount {
    case 16: StoredBlockKey(segment: segment, part: .records, number: try BlockView(value).number)
    case 21:
      if let index = key.bigEndian(at: 8, as: UInt8.self),
        let number = key.bigEndian(at: 17, as: UInt32.self)
      {
        StoredBlockKey(
          segment: segment, part: index == EnvelopeChunk.index ? .envelope : .index(index),
          number: number)
      } else {
        nil
      }
    default: nil
    }
  }
}
