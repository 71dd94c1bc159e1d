import FeedRecord
import LMDB

/// The bytes of an image in the map, in order. An image up to 260 KiB is one chunk; a larger one
/// has several of at most that size.
///
/// The chunks are borrowed and are valid only during the body that receives this value.
public struct ImageChunks: ~Copyable, ~Escapable {
  private let image: CachedImage
  private let key: ImageKey
  private let bodies: TableReader
  private var number: UInt32 = 0

  @_lifetime(copy bodies)
  init(_ image: CachedImage, _ key: ImageKey, in bodies: TableReader) {
    self.image = image
    self.key = key
    self.bodies = bodies
  }

  /// The description of the image.
  public var description: ImageDescription { image.description }

  /// The size of the image in bytes.
  public var byteCount: Int { image.byteCount }

  /// The next chunk; nil after the last.
  ///
  /// - Throws: `damaged` if it is missing
  @_lifetime(self: copy self)
  @_lifetime(copy self)
  public mutating func next() throws(StoreError) -> RawSpan? {
    let start = Int(number) * ImageFormat.chunkBytes
    guard Int(number) < ImageFormat.chunkCount(byteCount) else { return nil }
    let wanted = key.chunk(number)
    let chunk: RawSpan?
    do throws(LMDBError) {
      chunk = try bodies.get(wanted.span.bytes)
    } catch {
      throw StoreError(error)
    }
    guard let chunk, chunk.byteCount == min(ImageFormat.chunkBytes, byteCount - start) else {
      throw damaged
    }
    number += 1
    return chunk
  }

  /// Reads all chunks and verifies their checksum.
  @_lifetime(self: copy self)
  mutating func verify() throws(StoreError) {
    guard var checksum = ContentChecksum() else {
      throw StoreError(.ioError, "the system refused memory")
    }
    while let chunk = try next() { checksum.add(chunk) }
    guard checksum.value == image.checksum else { throw damaged }
  }

  private var damaged: StoreError {
    StoreError(
      .damaged, "the image of \(description.url) is damaged; remove it and fetch it again")
  }
}
