import FeedRecord
import LMDB

/// A part of the text around the records of a document, where the text is too long for a value of the
/// table of generations.
///
/// The parts are in the table of index blocks, under a number that no index has. Each begins with its
/// checksum, whose seed is that of an index block.
enum EnvelopeChunk {
  /// The number in place of that of an index.
  static let index: UInt8 = 0xE0
  /// The maximum length of a text that is stored as one value.
  static let maximumValueBytes = 64 << 10
  private static let checksumBytes = 8

  static func key(segment: UInt64, number: UInt32) -> StoreKey.Index {
    StoreKey.index(segment: segment, index: index, hash: 0, number: number)
  }

  /// The stored bytes of a part.
  static func sealed(_ text: [UInt8], seed: UInt64) -> [UInt8] {
    let checksum = ContentChecksum.checksum(of: text.span.bytes, seed: seed)
    return (0..<8).map { UInt8(truncatingIfNeeded: checksum >> (8 * UInt64($0))) } + text
  }

  /// The text of a part.
  ///
  /// - Throws: `damaged`
  @_lifetime(copy bytes)
  static func text(_ bytes: RawSpan, seed: UInt64) throws(StoreError) -> RawSpan {
    guard bytes.byteCount > checksumBytes else { throw damaged }
    var stored: UInt64 = 0
    for place in 0..<checksumBytes {
      let byte = bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
      stored |= UInt64(byte) << (8 * UInt64(place))
    }
    let text = bytes.extracting(checksumBytes...)
    guard ContentChecksum.checksum(of: text, seed: seed) == stored else { throw damaged }
    return text
  }

  static var damaged: StoreError {
    StoreError(.damaged, "a part of the text around the records is damaged; ingest again")
  }
}

extension StoreTables {
  /// Passes the parts of a document's text around its records, in order.
  ///
  /// - Parameter range: the numbers of the parts.
  func forEachEnvelopeChunk(
    _ range: Range<UInt32>, of segment: UInt64, _ transaction: borrowing ReadTransaction,
    _ body: (RawSpan) throws(StoreError) -> Void
  ) throws(StoreError) {
    for number in range {
      let key = EnvelopeChunk.key(segment: segment, number: number)
      let seed = seed(segment: segment, index: EnvelopeChunk.index, number: number)
      do {
        guard let bytes = try transaction.get(index, key.span.bytes) else {
          throw EnvelopeChunk.damaged
        }
        try body(try EnvelopeChunk.text(bytes, seed: seed))
      } catch {
        throw StoreError(wrapping: error, path: environment.path)
      }
    }
  }
}
