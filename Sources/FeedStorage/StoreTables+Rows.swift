import FeedRecord
import LMDB

extension StoreTables {
  // MARK: Reading

  /// The number of the generation a feed's name points at; nil where there is no such feed.
  func current(
    _ name: FeedName, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> UInt64? {
    let key = name.text.utf8
    do throws(LMDBError) {
      if let value = try transaction.get(feeds, key.span.bytes) {
        // Too short a value leads to no row, which is an error.
        return value.bigEndian(at: 0, as: UInt64.self) ?? 0
      }
    } catch {
      throw StoreError(error)
    }
    try proveCatalog(transaction, lacks: name)
    return nil
  }

  /// The row of a generation; nil where there is none.
  func row(
    _ generation: UInt64, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> GenerationRow? {
    let key = StoreKey.number(generation)
    do {
      guard let bytes = try transaction.get(generations, key.span.bytes) else { return nil }
      let row = try GenerationRow(bytes)
      guard row.generation == generation else { throw RowReader.damaged }
      return row
    } catch {
      throw StoreError(wrapping: error, path: environment.path)
    }
  }

  /// The row a feed's name points at; nil where there is no such feed.
  func currentRow(
    _ name: FeedName, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> GenerationRow? {
    guard let generation = try current(name, transaction) else { return nil }
    guard let row = try row(generation, transaction), row.name == name, row.state == .published
    else {
      throw StoreError(
        .damaged, "the feed \(name) points at a generation that is not there",
        path: environment.path)
    }
    return row
  }

  /// Every row, in the order of the generations; those of all feeds are proved to be among them.
  func rows(_ transaction: borrowing ReadTransaction) throws(StoreError) -> [GenerationRow] {
    do {
      var rows: [GenerationRow] = []
      var cursor = try transaction.cursor(generations)
      while try cursor.next() {
        // Longer keys are those of envelopes.
        if cursor.key.byteCount == 8 { rows.append(try GenerationRow(cursor.value)) }
      }
      let published = Set(rows.lazy.filter { $0.state == .published }.map(\.generation))
      for name in try names(transaction) {
        guard let current = try current(name, transaction), published.contains(current) else {
          throw RowReader.damaged
        }
      }
      return rows
    } catch {
      throw StoreError(wrapping: error, path: environment.path)
    }
  }

  /// The names of all feeds, in order, proved to be all.
  func names(_ transaction: borrowing ReadTransaction) throws(StoreError) -> [FeedName] {
    try proveCatalog(transaction)
    do {
      var names: [FeedName] = []
      var cursor = try transaction.cursor(feeds)
      while try cursor.next() {
        names.append(try FeedName(String(decoding: Array(copying: cursor.key), as: UTF8.self)))
      }
      return names
    } catch {
      throw StoreError(wrapping: error, path: environment.path)
    }
  }

  /// What stood around a generation's records.
  func envelope(
    of row: GenerationRow, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> [UInt8] {
    if row.envelopeByteCount == 0 { return [] }
    let key = StoreKey.envelope(row.generation)
    do throws(LMDBError) {
      if let bytes = try transaction.get(generations, key.span.bytes),
        bytes.byteCount == Int(row.envelopeByteCount), KeyHash.hash(bytes) == row.envelopeHash
      {
        return Array(copying: bytes)
      }
    } catch {
      throw StoreError(error)
    }
    throw RowReader.damaged
  }

  // MARK: Writing

  func put(
    _ row: GenerationRow, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    let key = StoreKey.number(row.generation)
    try transaction.put(generations, key.span.bytes, row.encoded().span.bytes)
  }

  /// Removes a generation's row and envelope.
  func removeRow(
    _ generation: UInt64, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    let row = StoreKey.number(generation)
    let envelope = StoreKey.envelope(generation)
    try transaction.delete(generations, row.span.bytes)
    try transaction.delete(generations, envelope.span.bytes)
  }

  /// Points a feed's name at a generation, or removes the name.
  func point(
    _ name: FeedName, at generation: UInt64?, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    // What damage has hidden would be missing from the new proof without anyone's knowing.
    try transaction.reading { view throws(StoreError) in try proveCatalog(view) }
    let key = name.text.utf8
    do throws(LMDBError) {
      if let generation {
        let value = StoreKey.number(generation)
        try transaction.put(feeds, key.span.bytes, value.span.bytes)
      } else {
        try transaction.delete(feeds, key.span.bytes)
      }
    } catch {
      throw StoreError(error)
    }
    try sealCatalog(&transaction)
  }

  /// The last number that was given to a generation.
  func lastNumber(_ transaction: borrowing ReadTransaction) throws(StoreError) -> UInt64 {
    let number: UInt64
    let isLast: Bool
    do throws(LMDBError) {
      number = try counter(StoreFormat.MetaKey.counter, transaction)
      var cursor = try transaction.cursor(generations)
      let next = StoreKey.number(number &+ 1)
      isLast = try !cursor.seek(atOrAfter: next.span.bytes)
    } catch {
      throw StoreError(error)
    }
    // A counter that damage has set back would have one generation written over another.
    guard isLast, number < StoreFormat.numberLimit else { throw RowReader.damaged }
    return number
  }

  /// Stores the row of a generation whose number was reserved.
  ///
  /// - Throws: `replaced` where something has that number after all
  func begin(
    _ row: GenerationRow, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    try transaction.reading { view throws(LMDBError) in try requireFree(row.generation, view) }
    let key = StoreFormat.MetaKey.counter
    let last = try transaction.reading { view throws(LMDBError) in try counter(key, view) }
    // One that was reserved later may have been committed before.
    let number = StoreKey.number(max(last, row.generation))
    try transaction.put(meta, key.span.bytes, number.span.bytes)
    try put(row, &transaction)
  }

  private func requireFree(
    _ generation: UInt64, _ view: borrowing ReadTransaction
  ) throws(LMDBError) {
    let key = StoreKey.number(generation)
    var isFree = try view.get(generations, key.span.bytes) == nil
    for table in [blocks, index] where isFree {
      var cursor = try view.cursor(table)
      let isThere = try cursor.seek(atOrAfter: key.span.bytes)
      isFree = !isThere || cursor.key.bigEndian(at: 0, as: UInt64.self) != generation
    }
    guard isFree else {
      throw LMDBError(
        .replaced, "the number of this ingest was given to another one as well; ingest again",
        path: environment.path)
    }
  }

  /// A commit that frees nothing.
  ///
  /// What transaction N freed cannot be used by N + 1 but by N + 2: after a
  /// sweep this one comes between.
  func tick() throws(StoreError) {
    try environment.write { (transaction: inout WriteTransaction) throws(StoreError) in
      do throws(LMDBError) {
        let key = StoreFormat.MetaKey.tick
        let last = try transaction.reading { view throws(LMDBError) in try counter(key, view) }
        let next = StoreKey.number(last &+ 1)
        try transaction.put(meta, key.span.bytes, next.span.bytes)
      } catch {
        throw StoreError(error)
      }
    }
  }

  private func counter(
    _ key: [UInt8], _ transaction: borrowing ReadTransaction
  ) throws(LMDBError) -> UInt64 {
    try transaction.get(meta, key.span.bytes)?.bigEndian(at: 0, as: UInt64.self) ?? 0
  }
}
