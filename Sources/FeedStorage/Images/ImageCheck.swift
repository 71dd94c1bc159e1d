import FeedRecord
import LMDB

/// Verifies the contents of an image store in one snapshot: every row, all bytes by their checksum,
/// every ring entry, every bucket and every sum.
struct ImageCheck {
  private static let maximumFindings = 100

  private let tables: ImageTables
  private let hash: (RawSpan) -> UInt128
  private(set) var findings: [String] = []
  private var chunkCount = 0
  private var sum = ImageTotals(byteCap: 0)
  private var buckets = Array(repeating: ImageBucket(), count: ImageBucket.count)

  /// - Parameter hash: the hash function of the store.
  init(_ tables: ImageTables, hash: @escaping (RawSpan) -> UInt128 = { KeyHash.wideHash($0) }) {
    self.tables = tables
    self.hash = hash
  }

  /// The number of visited images.
  var imageCount: Int { Int(clamping: sum.imageCount) }

  mutating func run() throws(StoreError) {
    try tables.environment.read { transaction throws(StoreError) in try run(transaction) }
  }

  private mutating func note(_ finding: String) {
    if findings.count < Self.maximumFindings { findings.append(finding) }
  }

  private mutating func run(_ transaction: borrowing ReadTransaction) throws(StoreError) {
    do {
      var cursor = try transaction.cursor(tables.images)
      while try cursor.next() {
        guard let key = ImageKey(cursor.key), cursor.key.byteCount == 16 else {
          note("the key of an image is invalid")
          continue
        }
        buckets[ImageBucket.number(of: key)].add(key)
        do throws(StoreError) {
          try check(try ImageRowView(cursor.value), key, transaction)
        } catch {
          // Damage that is not limited to one image is rethrown.
          guard error.code == .damaged, error.path == nil else { throw error }
          note("the row of an image is damaged")
        }
      }
      let totals = try tables.totals(transaction)
      if totals.imageCount != sum.imageCount || totals.byteCount != sum.byteCount {
        note("the totals do not match the images")
      }
      if try transaction.count(tables.ring) != Int(clamping: sum.imageCount) {
        note("the ring has entries without an image")
      }
      if try transaction.count(tables.bodies) != chunkCount {
        note("there are bytes without an image")
      }
      if try tables.occupiedBytes(transaction) > Int(clamping: totals.byteCap) {
        note("the images occupy more than the cap")
      }
      if totals.hasBuckets { try checkBuckets(transaction) }
    } catch {
      throw tables.failure(error)
    }
  }

  private mutating func checkBuckets(
    _ transaction: borrowing ReadTransaction
  ) throws(StoreError) {
    for (number, counted) in buckets.enumerated() {
      do throws(StoreError) {
        if try tables.storedBucket(number, transaction) == counted { continue }
        note("bucket \(number): its images do not match its digest")
      } catch {
        guard error.code == .damaged else { throw error }
        note("bucket \(number): its digest is damaged")
      }
    }
  }

  private mutating func check(
    _ row: ImageRowView, _ key: ImageKey, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) {
    let description = row.description
    if row.key(hash) != key {
      note("\(description.url) is stored under the key of another image")
    }
    let entry = RingEntry(key, row.generation, description.byteCount)
    chunkCount += ImageFormat.chunkCount(description.byteCount)
    sum.add(entry)
    do {
      if try !tables.hasRingEntry(entry, at: row.sequence, transaction) {
        note("\(description.url) has no entry in the ring")
      }
      let image = CachedImage(row, description.url)
      var chunks = ImageChunks(image, key, in: TableReader(transaction, tables.bodies))
      try chunks.verify()
    } catch {
      note("\(StoreError(wrapping: error))")
    }
  }
}

extension ImageStore {
  /// The problems found in the store; empty if there are none. Reads every byte of it in one
  /// snapshot.
  ///
  /// - Throws: if LMDB itself finds damage
  package func check() throws(StoreError) -> [String] {
    var check = ImageCheck(tables, hash: options.hash)
    try check.run()
    return check.findings
  }
}
