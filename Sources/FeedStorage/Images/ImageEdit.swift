import LMDB

/// The changes of one transaction to rows, bodies, ring, buckets and totals, which stay consistent.
struct ImageEdit {
  /// The remaining changes of one transaction, checked between images.
  struct Limit {
    var bytes = ImageFormat.editBytes
    var operations = ImageFormat.editOperations

    var isReached: Bool { bytes <= 0 || operations <= 0 }

    /// Half of the limit, for a disk without enough space; nil if it cannot be less.
    var half: Limit? {
      operations > 1 ? Limit(bytes: bytes / 2, operations: operations / 2) : nil
    }
  }

  let tables: ImageTables
  private(set) var limit: Limit
  private(set) var totals: ImageTotals
  /// The changed buckets, by number.
  private var buckets: [Int: ImageBucket] = [:]

  init(
    _ tables: ImageTables, _ limit: Limit = Limit(), _ transaction: borrowing WriteTransaction
  ) throws(StoreError) {
    self.tables = tables
    self.limit = limit
    totals = try transaction.reading { view throws(StoreError) in try tables.totals(view) }
  }

  /// Writes the totals and the buckets; the last step of an edit.
  func finish(_ transaction: inout WriteTransaction) throws(StoreError) {
    for (number, bucket) in buckets {
      let key = ImageBucket.key(of: number)
      if bucket.isEmpty {
        try delete(tables.meta, key.span.bytes, &transaction)
      } else {
        let bytes = bucket.encoded()
        try put(tables.meta, key.span.bytes, bytes.span.bytes, &transaction)
      }
    }
    let (key, bytes) = (ImageFormat.totals, totals.encoded())
    try put(tables.meta, key.span.bytes, bytes.span.bytes, &transaction)
  }

  // MARK: Adding

  /// Adds an image that does not exist yet.
  mutating func add(
    _ data: RawSpan, _ description: ImageDescription, _ key: ImageKey,
    _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    let number = totals.nextNumber()
    let row = ImageRow(generation: number, sequence: number, description: description)
    for chunk in 0..<ImageFormat.chunkCount(data.byteCount) {
      let start = chunk * ImageFormat.chunkBytes
      let end = min(start + ImageFormat.chunkBytes, data.byteCount)
      let chunkKey = key.chunk(UInt32(clamping: chunk))
      try put(tables.bodies, chunkKey.span.bytes, data.extracting(start..<end), &transaction)
    }
    let entry = RingEntry(key, number, data.byteCount)
    try changeBucket(of: key, transaction) { bucket in bucket.add(key) }
    try put(row, entry, &transaction)
    totals.add(entry)
    totals.insertions &+= 1
  }

  /// Rewrites a row; its position in the ring does not change.
  mutating func replace(
    _ row: ImageRow, _ key: ImageKey, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    let (key, bytes) = (key.bytes, row.encoded())
    try put(tables.images, key.span.bytes, bytes.span.bytes, &transaction)
    limit.operations -= 1
    limit.bytes -= bytes.count
  }

  /// Moves an image to the end of the ring.
  mutating func moveToEnd(
    _ row: ImageRow, _ entry: RingEntry, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    try removeRingEntry(row.sequence, &transaction)
    try addRingEntry(row, entry, &transaction)
  }

  /// Gives an image a position at the end of the ring, without touching its old position.
  mutating func addRingEntry(
    _ row: ImageRow, _ entry: RingEntry, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    var row = row
    row.sequence = totals.nextNumber()
    try put(row, entry, &transaction)
  }

  private mutating func put(
    _ row: ImageRow, _ entry: RingEntry, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    let (position, key) = (StoreKey.number(row.sequence), entry.key.bytes)
    let (entryBytes, rowBytes) = (entry.encoded(), row.encoded())
    try put(tables.ring, position.span.bytes, entryBytes.span.bytes, &transaction)
    try put(tables.images, key.span.bytes, rowBytes.span.bytes, &transaction)
    limit.operations -= 2
    limit.bytes -= entryBytes.count + rowBytes.count
  }

  private func put(
    _ table: Table, _ key: RawSpan, _ value: RawSpan, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    do throws(LMDBError) {
      try transaction.put(table, key, value)
    } catch {
      throw StoreError(error)
    }
  }

  private func delete(
    _ table: Table, _ key: RawSpan, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    do throws(LMDBError) {
      try transaction.delete(table, key)
    } catch {
      throw StoreError(error)
    }
  }

  // MARK: Buckets

  /// Divides the images of a version 1 store into buckets.
  mutating func makeBuckets(_ transaction: inout WriteTransaction) throws(StoreError) {
    for number in 0..<ImageBucket.count {
      try recount(number, transaction)
      if buckets[number]?.isEmpty == true { buckets[number] = nil }
    }
    totals.addBuckets()
    let identifier = try transaction.reading { view throws(StoreError) in
      try ImageFormat.format.read(tables.meta, view, path: tables.environment.path).identifier
    }
    do throws(LMDBError) {
      try ImageFormat.format.write(tables.meta, identifier: identifier, &transaction)
    } catch {
      throw StoreError(error)
    }
  }

  /// Replaces the digest of a bucket with that of its current images.
  mutating func recount(
    _ number: Int, _ transaction: borrowing WriteTransaction
  ) throws(StoreError) {
    buckets[number] = try transaction.reading { view throws(StoreError) in
      try tables.countBucket(number, view)
    }
    limit.operations -= 1
  }

  /// Must be called before the row itself changes.
  private mutating func changeBucket(
    of key: ImageKey, _ transaction: borrowing WriteTransaction,
    _ body: (inout ImageBucket) -> Void
  ) throws(StoreError) {
    let number = ImageBucket.number(of: key)
    if buckets[number] == nil {
      do throws(StoreError) {
        buckets[number] = try transaction.reading { view throws(StoreError) in
          try tables.storedBucket(number, view)
        }
        limit.operations -= 1
      } catch  where error.code == .damaged {
        try recount(number, transaction)
      }
    }
    if var bucket = buckets[number] {
      body(&bucket)
      buckets[number] = bucket
    }
  }

  // MARK: Removing

  /// The row of a key in a transaction.
  enum Finding {
    case nothing
    case damaged
    case row(ImageRow)
  }

  func find(
    _ key: ImageKey, _ transaction: borrowing WriteTransaction
  ) throws(StoreError) -> Finding {
    let bytes = key.bytes
    do {
      guard let row = try transaction.get(tables.images, bytes.span.bytes) else { return .nothing }
      return .row(try ImageRow(row))
    } catch {
      let failure = StoreError(wrapping: error, path: tables.environment.path)
      // Damage found by LMDB has a path; damage of our own rows has none.
      if failure.code == .damaged, failure.path == nil { return .damaged }
      throw failure
    }
  }

  /// Removes an image and its ring entry, in whatever state they are; returns false if there is
  /// none.
  @discardableResult
  mutating func remove(
    _ key: ImageKey, _ transaction: inout WriteTransaction
  ) throws(StoreError) -> Bool {
    switch try find(key, transaction) {
    case .nothing: return false
    case .row(let row): try removeRingEntry(of: row, key, &transaction)
    case .damaged:
      if let (sequence, entry) = try ringEntry(of: key, transaction) {
        totals.remove(entry)
        try removeRingEntry(sequence, &transaction)
      }
    }
    try removeContents(key, &transaction)
    return true
  }

  /// Removes the row and the body of an image whose ring entry is already removed.
  mutating func removeContents(
    _ key: ImageKey, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    let (row, first) = (key.bytes, key.chunk(0))
    if case .nothing = try find(key, transaction) {
    } else {
      try changeBucket(of: key, transaction) { bucket in bucket.remove(key) }
    }
    do throws(LMDBError) {
      try transaction.delete(tables.images, row.span.bytes)
      limit.operations -= 1
      try transaction.deleteEntries(in: tables.bodies, from: first.span.bytes) { chunk, value in
        guard ImageKey(chunk) == key else { return false }
        limit.operations -= 1
        limit.bytes -= value.byteCount
        return true
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// Subtracts an image from the totals and removes its ring entry, even a damaged one, unless the
  /// entry belongs to another image.
  private mutating func removeRingEntry(
    of row: ImageRow, _ key: ImageKey, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    totals.remove(RingEntry(row, key))
    let bytes = StoreKey.number(row.sequence)
    do {
      guard let value = try transaction.get(tables.ring, bytes.span.bytes) else { return }
      if let entry = try? RingEntry(value), entry.key != key { return }
    } catch {
      throw tables.failure(error)
    }
    try removeRingEntry(row.sequence, &transaction)
  }

  mutating func removeRingEntry(
    _ sequence: UInt64, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    let bytes = StoreKey.number(sequence)
    do throws(LMDBError) {
      try transaction.delete(tables.ring, bytes.span.bytes)
      limit.operations -= 1
    } catch {
      throw StoreError(error)
    }
  }

  /// Searches the ring, for an image whose row is damaged.
  private func ringEntry(
    of key: ImageKey, _ transaction: borrowing WriteTransaction
  ) throws(StoreError) -> (sequence: UInt64, entry: RingEntry)? {
    try transaction.reading { view throws(StoreError) in
      do {
        var cursor = try view.cursor(tables.ring)
        while try cursor.next() {
          guard let entry = try? RingEntry(cursor.value), entry.key == key,
            let sequence = cursor.key.bigEndian(at: 0, as: UInt64.self)
          else { continue }
          return (sequence, entry)
        }
        return nil
      } catch {
        throw tables.failure(error)
      }
    }
  }

  // MARK: The head of the ring

  /// The ring entry that the evictor visits next; nil if the ring is empty. The entry is nil if it
  /// is damaged.
  func head(
    _ transaction: borrowing WriteTransaction
  ) throws(StoreError) -> (sequence: UInt64, entry: RingEntry?)? {
    try transaction.reading { view throws(StoreError) in
      do {
        var cursor = try view.cursor(tables.ring)
        guard try cursor.first(), let sequence = cursor.key.bigEndian(at: 0, as: UInt64.self)
        else { return nil }
        return (sequence, try? RingEntry(cursor.value))
      } catch {
        throw tables.failure(error)
      }
    }
  }

  /// Removes the head of the ring and subtracts it from the totals.
  mutating func removeHead(
    _ sequence: UInt64, _ entry: RingEntry?, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    if let entry { totals.remove(entry) }
    try removeRingEntry(sequence, &transaction)
  }

  mutating func countEviction() { totals.evictions &+= 1 }

  /// The space that the store occupies in this transaction.
  func occupiedBytes(_ transaction: borrowing WriteTransaction) throws(StoreError) -> Int {
    try transaction.reading { view throws(StoreError) in try tables.occupiedBytes(view) }
  }

  func fileBytes(_ transaction: borrowing WriteTransaction) -> Int {
    transaction.reading { view in view.fileByteCount }
  }

  /// Sets the count and the bytes of the totals to counted values.
  mutating func count(as counted: ImageTotals) {
    totals.imageCount = counted.imageCount
    totals.byteCount = counted.byteCount
  }

  mutating func setByteCap(_ byteCap: Int) { totals.byteCap = UInt64(clamping: byteCap) }
}
