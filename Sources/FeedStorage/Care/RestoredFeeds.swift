import LMDB

/// What is changed in a backup before it takes the place of a store.
enum RestoredFeeds {
  /// Numbers that are passed over where nobody knows which were given since the backup.
  private static let unknownNumbers: UInt64 = 1 << 20

  /// The last number that a store has given to a generation.
  static func number(
    _ view: borrowing ReadTransaction, _ meta: Table
  ) throws(LMDBError) -> UInt64 {
    let key = StoreFormat.MetaKey.counter
    return try view.get(meta, key.span.bytes)?.bigEndian(at: 0, as: UInt64.self) ?? 0
  }

  /// Sees to it that no number is given twice and that no ingest goes on in the backup.
  ///
  /// Processes remember a generation by its number, and one that is writing a generation in
  /// several transactions must not add to what the backup has of it.
  ///
  /// - Parameter number: the last one given in the store that is replaced; nil where it is gone
  static func prepare(
    _ transaction: inout WriteTransaction, _ tables: Tables, number: UInt64?
  ) throws(LMDBError) {
    let meta = try tables.table(StoreFormat.TableName.meta)
    let own = try transaction.reading { view throws(LMDBError) in try Self.number(view, meta) }
    let last = StoreKey.number(max(own, number ?? own + unknownNumbers))
    let key = StoreFormat.MetaKey.counter
    try transaction.put(meta, key.span.bytes, last.span.bytes)
    let generations = try tables.table(StoreFormat.TableName.generations)
    for var row in try building(transaction, generations) {
      row.state = .dead
      let key = StoreKey.number(row.generation)
      try transaction.put(generations, key.span.bytes, row.encoded().span.bytes)
    }
  }

  private static func building(
    _ transaction: borrowing WriteTransaction, _ generations: Table
  ) throws(LMDBError) -> [GenerationRow] {
    try transaction.reading { view throws(LMDBError) in
      var rows: [GenerationRow] = []
      var cursor = try view.cursor(generations)
      while try cursor.next() {
        guard cursor.key.byteCount == 8 else { continue }
        if let row = try? GenerationRow(cursor.value), row.state == .building { rows.append(row) }
      }
      return rows
    }
  }
}
