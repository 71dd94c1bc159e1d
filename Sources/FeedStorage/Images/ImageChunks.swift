import FeedRecord
import LMDB

/// The bytes of an image where they lie in the map, in order: one piece of an image up to 256 KiB,
/// several of a larger one.
///
/// The pieces are lent for the time of the body that was given this, and not a moment longer.
public struct ImageChunks: ~Copyable, ~Escapable {
  /// What is known of the image.
  public let description: ImageDescription
  private let key: ImageKey
  private var cursor: Cursor
  private var number: UInt32 = 0

  @_lifetime(copy cursor)
  init(_ row: ImageRow, _ key: ImageKey, _ cursor: consuming Cursor) {
    description = row.description
    self.key = key
    self.cursor = cursor
  }

  /// The next piece; nil after the last.
  ///
  /// - Throws: `damaged` where it is missing
  @_lifetime(self: copy self)
  @_lifetime(copy self)
  public mutating func next() throws(StoreError) -> RawSpan? {
    let start = Int(number) * ImageFormat.chunkBytes
    guard Int(number) < ImageFormat.chunkCount(description.byteCount) else { return nil }
    let count = min(ImageFormat.chunkBytes, description.byteCount - start)
    let wanted = key.chunk(number)
    do throws(LMDBError) {
      guard try cursor.seek(atOrAfter: wanted.span.bytes),
        cursor.key.isEqual(to: wanted.span.bytes), cursor.value.byteCount == count
      else { throw LMDBError(.damaged, Self.damaged(description), path: nil) }
    } catch {
      throw StoreError(error)
    }
    number += 1
    return cursor.value
  }

  /// Reads all pieces, which must be those that were stored.
  @_lifetime(self: copy self)
  mutating func verify() throws(StoreError) {
    guard var checksum = ContentChecksum() else {
      throw StoreError(.ioError, "the system refused memory")
    }
    while let piece = try next() { checksum.add(piece) }
    guard checksum.value == description.checksum else {
      throw StoreError(.damaged, Self.damaged(description))
    }
  }

  private static func damaged(_ description: ImageDescription) -> String {
    "the image of \(description.url) is damaged; remove it and fetch it again"
  }
}
