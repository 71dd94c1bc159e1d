import FeedRecord
import LMDB

extension StoreTables {
  // MARK: Reading

  /// The generation number of a feed's name; nil if there is no such feed.
  func current(
    _ name: FeedName, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> UInt64? {
    let key = name.text.utf8
    do throws(LMDBError) {
      if let value = try transaction.get(feeds, key.span.bytes) {
        // A value that is too short leads to no row, which is an error.
        return value.bigEndian(at: 0, as: UInt64.self) ?? 0
      }
    } catch {
      throw StoreError(error)
    }
    try verifyCatalog(transaction, lacks: name)
    return nil
  }

  /// The row of a generation; nil if there is none.
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

  /// The row of a feed's name; nil if there is no such feed.
  func currentRow(
    _ name: FeedName, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> GenerationRow? {
    guard let generation = try current(name, transaction) else { return nil }
    guard let row = try row(generation, transaction), row.name == name, row.state == .published
    else {
      throw StoreError(
        .damaged, "the feed \(name) points at a generation that does not exist",
        path: environment.path)
    }
    return row
  }

  /// All rows in the order of generations. Verifies that they include those of all feeds.
  func rows(_ transaction: borrowing ReadTransaction) throws(StoreError) -> [GenerationRow] {
    do {
      var rows: [GenerationRow] = []
      var cursor = try transaction.cursor(generations)
      while try cursor.next() {
        // Longer keys belong to envelopes and schemas.
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

  /// The names of all feeds in order, verified to be complete.
  func names(_ transaction: borrowing ReadTransaction) throws(StoreError) -> [FeedName] {
    try verifyCatalog(transaction)
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

  /// The JSON text around a generation's records.
  func envelope(
    of row: GenerationRow, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> [UInt8] {
    let key = StoreKey.envelope(row.generation)
    return try value(
      key.span.bytes, byteCount: row.envelopeByteCount, hash: row.envelopeHash, transaction)
  }

  /// The text of a generation's schema; empty if none is stored.
  func schemaText(
    of row: GenerationRow, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> [UInt8] {
    let key = StoreKey.schema(row.generation)
    return try value(
      key.span.bytes, byteCount: row.details.schemaByteCount, hash: row.details.schemaHash,
      transaction)
  }

  /// A value that belongs to a row, which states its length and hash. A value of no length is not
  /// stored.
  private func value(
    _ key: RawSpan, byteCount: UInt32, hash: UInt64, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> [UInt8] {
    if byteCount == 0 { return [] }
    do throws(LMDBError) {
      if let bytes = try transaction.get(generations, key),
        bytes.byteCount == Int(byteCount), KeyHash.hash(bytes) == hash
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

  /// Stores a published row with the values that belong to it.
  func put(
    _ row: GenerationRow, envelope: [UInt8], schema: [UInt8],
    _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    let (envelopeKey, schemaKey) = (
      StoreKey.envelope(row.generation), StoreKey.schema(row.generation)
    )
    if !envelope.isEmpty {
      try transaction.put(generations, envelopeKey.span.bytes, envelope.span.bytes)
    }
    if !schema.isEmpty {
      try transaction.put(generations, schemaKey.span.bytes, schema.span.bytes)
    }
    try put(row, &transaction)
  }

  /// Removes a generation's row, envelope and schema.
  func removeRow(
    _ generation: UInt64, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    let row = StoreKey.number(generation)
    let envelope = StoreKey.envelope(generation)
    try transaction.delete(generations, row.span.bytes)
    try transaction.delete(generations, envelope.span.bytes)
    let schema = StoreKey.schema(generation)
    try transaction.delete(generations, schema.span.bytes)
  }

  /// Points a feed's name to a generation, or removes the name.
  func point(
    _ name: FeedName, at generation: UInt64?, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    // Without this check, a new digest would silently omit feeds hidden by damage.
    try transaction.reading { view throws(StoreError) in try verifyCatalog(view) }
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

  /// The last number of a generation.
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
    // If damage had reset the counter, one generation would overwrite another.
    guard isLast, number < StoreFormat.numberLimit else { throw RowReader.damaged }
    return number
  }

  /// Stores the row of a generation with a reserved number.
  ///
  /// - Throws: `replaced` if the number is in use
  func begin(
    _ row: GenerationRow, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    try transaction.reading { view throws(LMDBError) in try requireFree(row.generation, view) }
    let key = StoreFormat.MetaKey.counter
    let last = try transaction.reading { view throws(LMDBError) in try counter(key, view) }
    // A number that was reserved later may have been committed earlier.
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
      let hasEntry = try cursor.seek(atOrAfter: key.span.bytes)
      isFree = !hasEntry || cursor.key.bigEndian(at: 0, as: UInt64.self) != generation
    }
    guard isFree else {
      throw LMDBError(
        .replaced, "the number of this ingest is also in use by another one; ingest again",
        path: environment.path)
    }
  }

  /// Commits without freeing pages.
  ///
  /// Pages freed by transaction N are not usable by N + 1 but by N + 2. After a sweep this commit
  /// comes in between.
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
