import LMDB

/// Looks through everything that an image store holds, in one snapshot.
struct ImageCheck {
  private let store: ImageStore
  private var problems: [String] = []
  private var chunkCount = 0
  private var sum: ImageTotals

  fileprivate init(_ store: ImageStore) {
    self.store = store
    sum = ImageTotals(byteCap: 0)
  }

  fileprivate mutating func run(
    _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> [String] {
    let tables = store.tables
    do {
      var cursor = try transaction.cursor(tables.images)
      while try cursor.next() {
        guard let key = ImageKey(cursor.key), let row = try? ImageRow(cursor.value) else {
          problems.append("the row of an image is damaged")
          continue
        }
        try check(row, key, transaction)
      }
      let totals = try tables.totals(transaction)
      if totals.imageCount != sum.imageCount || totals.byteCount != sum.byteCount {
        problems.append("the images are not those that the totals count")
      }
      if try transaction.count(tables.ring) != Int(clamping: sum.imageCount) {
        problems.append("the ring has places of no image")
      }
      if try transaction.count(tables.bodies) != chunkCount {
        problems.append("there are bytes of no image")
      }
      if try tables.occupiedBytes(transaction) > Int(clamping: totals.byteCap) {
        problems.append("the images occupy more than the cap")
      }
      return problems
    } catch {
      throw tables.failure(error)
    }
  }

  private mutating func check(
    _ row: ImageRow, _ key: ImageKey, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) {
    let description = row.description
    if store.key(of: description.url) != key {
      problems.append("\(description.url) lies where another image belongs")
    }
    let entry = RingEntry(key, row.generation, description.byteCount)
    let place = StoreKey.number(row.sequence)
    chunkCount += ImageFormat.chunkCount(description.byteCount)
    sum.add(entry)
    do {
      var found: RingEntry?
      if let bytes = try transaction.get(store.tables.ring, place.span.bytes) {
        found = try? RingEntry(bytes)
      }
      if found != entry { problems.append("\(description.url) has no place in the ring") }
      var chunks = ImageChunks(row, key, try transaction.cursor(store.tables.bodies))
      try chunks.verify()
    } catch {
      problems.append("\(StoreError(wrapping: error))")
    }
  }
}

extension ImageStore {
  /// What is wrong with the store; empty where nothing is. Reads every byte of it in one snapshot.
  ///
  /// - Throws: where LMDB itself finds damage
  package func check() throws(StoreError) -> [String] {
    try tables.environment.read { transaction throws(StoreError) in
      var check = ImageCheck(self)
      return try check.run(transaction)
    }
  }
}
