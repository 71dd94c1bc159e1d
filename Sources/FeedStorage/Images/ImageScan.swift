import LMDB

/// The inconsistencies that damage has caused in an image store, found by a scan of its tables. A
/// sweep repairs them.
struct ImageScan {
  /// Buckets whose stored digest is wrong.
  private(set) var buckets: [Int] = []
  /// Images that the evictor would never visit.
  private(set) var imagesWithoutRingEntry: [ImageKey] = []
  /// Ring entries without an image.
  private(set) var orphanedRingEntries: [UInt64] = []
  /// Keys with bytes but without a row.
  private(set) var orphanedBodies: [ImageKey] = []
  private var areTotalsCorrect = true

  var isSound: Bool {
    buckets.isEmpty && imagesWithoutRingEntry.isEmpty && orphanedRingEntries.isEmpty
      && orphanedBodies.isEmpty && areTotalsCorrect
  }

  init(_ tables: ImageTables, _ transaction: borrowing ReadTransaction) throws(StoreError) {
    let totals = try tables.totals(transaction)
    var counted = ImageTotals(byteCap: 0)
    do {
      try tables.forEachImage(transaction) { key, row throws(StoreError) in
        let entry = RingEntry(row, key)
        counted.add(entry)
        if try !tables.hasRingEntry(entry, at: row.sequence, transaction) {
          imagesWithoutRingEntry.append(key)
        }
      }
      try findOrphanedRingEntries(tables, transaction)
      try findOrphanedBodies(tables, transaction)
      for number in 0..<(totals.hasBuckets ? ImageBucket.count : 0) {
        let stored = try? tables.storedBucket(number, transaction)
        if try tables.countBucket(number, transaction) != stored { buckets.append(number) }
      }
    } catch {
      throw tables.failure(error)
    }
    areTotalsCorrect =
      totals.imageCount == counted.imageCount && totals.byteCount == counted.byteCount
  }

  private mutating func findOrphanedRingEntries(
    _ tables: ImageTables, _ transaction: borrowing ReadTransaction
  ) throws {
    var ring = try transaction.cursor(tables.ring)
    while try ring.next() {
      guard let sequence = ring.key.bigEndian(at: 0, as: UInt64.self) else { continue }
      if try !tables.isRingEntryOfImage(sequence, try? RingEntry(ring.value), transaction) {
        orphanedRingEntries.append(sequence)
      }
    }
  }

  private mutating func findOrphanedBodies(
    _ tables: ImageTables, _ transaction: borrowing ReadTransaction
  ) throws {
    var chunks = try transaction.cursor(tables.bodies)
    var last: ImageKey?
    while try chunks.next() {
      guard let key = ImageKey(chunks.key), key != last else { continue }
      last = key
      let row = key.bytes
      if try transaction.get(tables.images, row.span.bytes) == nil { orphanedBodies.append(key) }
    }
  }
}

extension ImageTables {
  /// Calls `body` with every image whose row is readable.
  func forEachImage(
    _ transaction: borrowing ReadTransaction,
    _ body: (ImageKey, ImageRow) throws(StoreError) -> Void
  ) throws(StoreError) {
    do {
      var cursor = try transaction.cursor(images)
      while try cursor.next() {
        guard let key = ImageKey(cursor.key), let row = try? ImageRow(cursor.value) else {
          continue
        }
        try body(key, row)
      }
    } catch {
      throw failure(error)
    }
  }

  /// Whether the ring has the entry of an image at the position in its row.
  func hasRingEntry(
    _ entry: RingEntry, at sequence: UInt64, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> Bool {
    let position = StoreKey.number(sequence)
    do throws(LMDBError) {
      guard let bytes = try transaction.get(ring, position.span.bytes) else { return false }
      return (try? RingEntry(bytes)) == entry
    } catch {
      throw StoreError(error)
    }
  }

  /// Whether a ring entry belongs to an image; the entry is nil if it is damaged.
  func isRingEntryOfImage(
    _ sequence: UInt64, _ entry: RingEntry?, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> Bool {
    guard let entry else { return false }
    let key = entry.key.bytes
    do throws(LMDBError) {
      guard let bytes = try transaction.get(images, key.span.bytes) else { return false }
      guard let row = try? ImageRow(bytes) else { return false }
      return row.sequence == sequence && RingEntry(row, entry.key) == entry
    } catch {
      throw StoreError(error)
    }
  }
}

extension ImageStore {
  /// Repairs inconsistencies caused by damage: gives images without a ring entry a new one, removes
  /// ring entries and bytes without an image, and recomputes digests and totals.
  func repairInconsistencies() throws(StoreError) {
    let scan = try tables.environment.read { transaction throws(StoreError) in
      try ImageScan(tables, transaction)
    }
    if scan.isSound { return }
    try editEach(scan.imagesWithoutRingEntry) { edit, key, transaction throws(StoreError) in
      try edit.addRingEntryIfMissing(key, &transaction)
      return nil
    }
    try editEach(scan.orphanedRingEntries) { edit, sequence, transaction throws(StoreError) in
      try edit.removeRingEntryIfOrphaned(sequence, &transaction)
      return nil
    }
    try editEach(scan.orphanedBodies) { edit, key, transaction throws(StoreError) in
      // Another writer may have stored it since.
      if case .nothing = try edit.find(key, transaction) {
        try edit.removeContents(key, &transaction)
      }
      return nil
    }
    try edit { edit, transaction throws(StoreError) in
      for number in scan.buckets { try edit.recount(number, transaction) }
      try edit.recountTotals(transaction)
    }
  }
}

extension ImageEdit {
  /// Gives an image a ring entry if damage has removed it.
  mutating func addRingEntryIfMissing(
    _ key: ImageKey, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    guard case .row(let row) = try find(key, transaction) else { return }
    let entry = RingEntry(row, key)
    let isListed = try transaction.reading { view throws(StoreError) in
      try tables.hasRingEntry(entry, at: row.sequence, view)
    }
    if !isListed { try addRingEntry(row, entry, &transaction) }
  }

  /// Removes a ring entry that belongs to no image.
  mutating func removeRingEntryIfOrphaned(
    _ sequence: UInt64, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    let position = StoreKey.number(sequence)
    let isOrphaned = try transaction.reading { view throws(StoreError) -> Bool in
      do {
        guard let bytes = try view.get(tables.ring, position.span.bytes) else { return false }
        return try !tables.isRingEntryOfImage(sequence, try? RingEntry(bytes), view)
      } catch {
        throw tables.failure(error)
      }
    }
    if isOrphaned { try removeRingEntry(sequence, &transaction) }
  }

  /// Sets the totals to those of the current images.
  mutating func recountTotals(_ transaction: borrowing WriteTransaction) throws(StoreError) {
    var counted = ImageTotals(byteCap: 0)
    try transaction.reading { view throws(StoreError) in
      try tables.forEachImage(view) { key, row in counted.add(RingEntry(row, key)) }
    }
    count(as: counted)
  }
}
