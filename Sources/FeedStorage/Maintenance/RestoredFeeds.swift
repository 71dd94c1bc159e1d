import LMDB

/// The changes to a backup before it replaces a store.
enum RestoredFeeds {
  /// The numbers to skip if the last one given since the backup is unknown.
  private static let unknownNumbers: UInt64 = 1 << 20

  /// The last generation number that a store has used.
  static func number(
    _ view: borrowing ReadTransaction, _ meta: Table
  ) throws(LMDBError) -> UInt64 {
    let key = StoreFormat.MetaKey.counter
    return try view.get(meta, key.span.bytes)?.bigEndian(at: 0, as: UInt64.self) ?? 0
  }

  /// Ensures that no number is reused and that no ingest continues in the backup.
  ///
  /// Processes remember a generation by its number. A process that writes a generation in several
  /// transactions must not add to its partial copy in the backup.
  ///
  /// - Parameter number: the last number of the replaced store; nil if the store is gone
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
