import FeedRecord
import LMDB

/// How many images stand on a shelf, and the sum of their keys' hashes.
///
/// LMDB has no checksums: an image that a damaged page hides would look as if it had never been. So
/// the keys are divided by their first bits, and what stands on each shelf is written down with
/// every change. A look-up that finds nothing counts its shelf over and compares.
///
/// Little-endian: count u32, sum u64, and the XXH3-64 of these, in the meta table under "shelf" and
/// the number of the shelf, u16 big-endian. There is none for an empty shelf.
struct ImageShelf: Hashable, Sendable {
  /// So many that one of them is looked through in microseconds, and so few that an insertion into
  /// a small store still rewrites one page of them.
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

  /// The shelf of an image.
  static func number(of key: ImageKey) -> Int { Int(truncatingIfNeeded: key.hash >> (128 - bits)) }

  /// The least key that belongs on a shelf.
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
  /// What was written down of a shelf.
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

  /// What stands on a shelf.
  ///
  /// - Parameter missing: an image that was not found; nil is returned where it is met
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

  /// Proves that an image which was not found has not been lost to damage.
  ///
  /// A store of version 1 has no shelves until something is written to it.
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
