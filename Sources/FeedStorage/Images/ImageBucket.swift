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
struct ImageBucket: Hashable, Sendable {
  /// Enough buckets that scanning one takes microseconds, and few enough that an insertion into a
  /// small store rewrites only one page of them.
  static let count = 1 << bits
  private static let bits = 10

  private var imageCount: UInt32 = 0
  private var sum: UInt64 = 0

  init() {}

  var isEmpty: Bool { self == ImageBucket() }

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
  static func firstKey(ofBucket number: Int) -> ImageKey {
    ImageKey(UInt128(number) << (128 - bits))
  }

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
  func storedBucket(
    _ number: Int, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> ImageBucket {
    let key = ImageBucket.key(of: number)
    do {
      guard let bytes = try transaction.get(meta, key.span.bytes) else { return ImageBucket() }
      return try ImageBucket(bytes)
    } catch {
      throw failure(error)
    }
  }

  /// The digest of a bucket's current images.
  ///
  /// - Parameter missing: an image that was not found; nil is returned if it is found now
  func countBucket(
    _ number: Int, missing: ImageKey? = nil, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> ImageBucket? {
    var bucket = ImageBucket()
    let first = ImageBucket.firstKey(ofBucket: number).bytes
    do throws(LMDBError) {
      var cursor = try transaction.cursor(images)
      var hasEntry = try cursor.seek(atOrAfter: first.span.bytes)
      while hasEntry, let key = ImageKey(cursor.key), ImageBucket.number(of: key) == number {
        if key == missing { return nil }
        bucket.add(key)
        hasEntry = try cursor.next()
      }
      return bucket
    } catch {
      throw StoreError(error)
    }
  }

  /// Verifies that an image that was not found has not been lost to damage.
  ///
  /// A version 1 store has no buckets until something is written to it.
  func verifyAbsence(
    of key: ImageKey, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) {
    guard try totals(transaction).hasBuckets else { return }
    let number = ImageBucket.number(of: key)
    let counted = try countBucket(number, missing: key, transaction)
    guard try counted == storedBucket(number, transaction) else {
      throw StoreError(
        .damaged,
        "the image may have been lost, because stored images are missing; fetch it again, and"
          + " sweep the images to repair the store",
        path: environment.path)
    }
  }
}
