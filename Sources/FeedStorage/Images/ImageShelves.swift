import FeedRecord
import LMDB

/// The digest of a bucket of images: their count and the sum of their keys' hashes.
///
/// LMDB has no checksums: an image hidden by a damaged page would look as if it had never existed.
/// So the keys are divided into buckets by their first bits, and every change updates the digest of
/// its bucket. A lookup that finds nothing counts its bucket again and compares.
///
/// Little-endian: count u32, sum u64, and the XXH3-64 of these, in the meta table under "shelf" and
/// the number of the bucket, u16 big-endian. An empty bucket has no entry.
struct ImageShelf: Hashable, Sendable {
  /// Enough buckets that scanning one takes microseconds, and few enough that an insertion into a
  /// small store rewrites only one page of them.
  static let count = 1 << bits
  private static let bits = 10

  private var imageCount: UInt32 = 0
  private var sum: UInt64 = 0

  init() {}

  var isEmpty: Bool { self == ImageShelf() }

  mutating func add(_ key: ImageKey) {
    imageCount &+= 1
    sum &+= Self.hash(key)
  }

  mutating func remove(_ key: ImageKey) {
    imageCount &-= 1
    sum &-= Self.hash(key)
  }

  private static func hash(_ key: ImageKey) -> UInt64 {
    let bytes = key.bytes
    return KeyHash.hash(bytes.span.bytes)
  }

  // MARK: Numbers

  /// The bucket of an image.
  static func number(of key: ImageKey) -> Int { Int(truncatingIfNeeded: key.hash >> (128 - bits)) }

  /// The lowest key of a bucket.
  static func firstKey(on number: Int) -> ImageKey { ImageKey(UInt128(number) << (128 - bits)) }

  static func key(of number: Int) -> [UInt8] {
    Array("shelf".utf8) + [
      UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number),
    ]
  }

  // MARK: Rows

  init(_ bytes: RawSpan) throws(StoreError) {
    var reader = try RowReader(bytes)
    imageCount = try reader.read(UInt32.self)
    sum = try reader.read(UInt64.self)
  }

  func encoded() -> [UInt8] {
    var writer = RowWriter()
    writer.write(imageCount)
    writer.write(sum)
    return writer.sealed()
  }
}

extension ImageTables {
  /// The stored digest of a bucket.
  func storedShelf(
    _ number: Int, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> ImageShelf {
    let key = ImageShelf.key(of: number)
    do {
      guard let bytes = try transaction.get(meta, key.span.bytes) else { return ImageShelf() }
      return try ImageShelf(bytes)
    } catch {
      throw failure(error)
    }
  }

  /// The digest of a bucket's current images.
  ///
  /// - Parameter missing: an image that was not found; nil is returned if it is found now
  func countShelf(
    _ number: Int, missing: ImageKey? = nil, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> ImageShelf? {
    var shelf = ImageShelf()
    let first = ImageShelf.firstKey(on: number).bytes
    do throws(LMDBError) {
      var cursor = try transaction.cursor(images)
      var isThere = try cursor.seek(atOrAfter: first.span.bytes)
      while isThere, let key = ImageKey(cursor.key), ImageShelf.number(of: key) == number {
        if key == missing { return nil }
        shelf.add(key)
        isThere = try cursor.next()
      }
      return shelf
    } catch {
      throw StoreError(error)
    }
  }

  /// Verifies that an image that was not found has not been lost to damage.
  ///
  /// A version 1 store has no buckets until something is written to it.
  func proveAbsence(
    of key: ImageKey, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) {
    guard try totals(transaction).hasShelves else { return }
    let number = ImageShelf.number(of: key)
    let counted = try countShelf(number, missing: key, transaction)
    guard try counted == storedShelf(number, transaction) else {
      throw StoreError(
        .damaged,
        "the image may have been lost: some that were stored are not there; fetch it again, and"
          + " sweep the images to take stock anew",
        path: environment.path)
    }
  }
}
