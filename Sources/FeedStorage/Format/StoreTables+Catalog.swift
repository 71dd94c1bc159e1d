import FeedRecord
import LMDB

/// Verifies that the table of feeds is complete. LMDB has no checksums, and a feed hidden by a
/// damaged page would look as if it had never existed.
extension StoreTables {
  /// Verifies that the table holds exactly the published feeds.
  ///
  /// Reads the whole table, so it is for lists and misses: a feed that is found is verified by its
  /// row.
  ///
  /// - Parameter name: a name that must not be in the table. A damaged branch page can mislead a
  ///   search, but a walk over the leaves still finds the name.
  func verifyCatalog(
    _ transaction: borrowing ReadTransaction, lacks name: FeedName? = nil
  ) throws(StoreError) {
    do {
      // A version 1 store gets its digest with the first feed that is published in it.
      guard try version(transaction) > 1 else { return }
      let key = StoreFormat.MetaKey.catalog
      guard let row = try transaction.get(meta, key.span.bytes) else { throw RowReader.damaged }
      var reader = try RowReader(row)
      let stored = Catalog(
        count: try reader.read(UInt32.self), digest: try reader.read(UInt64.self))
      guard try catalog(transaction, lacks: name) == stored else {
        throw StoreError(
          .damaged,
          "the list of feeds is damaged; ingest them into another directory", path: environment.path
        )
      }
    } catch {
      throw StoreError(wrapping: error, path: environment.path)
    }
  }

  /// Updates the digest after a change of the table, which must have been verified before.
  func sealCatalog(_ transaction: inout WriteTransaction) throws(StoreError) {
    let catalog: Catalog = try transaction.reading { view throws(StoreError) in
      try self.catalog(view, lacks: nil) ?? Catalog()
    }
    var row = RowWriter()
    row.write(catalog.count)
    row.write(catalog.digest)
    let (key, bytes) = (StoreFormat.MetaKey.catalog, row.sealed())
    do throws(LMDBError) {
      try transaction.put(meta, key.span.bytes, bytes.span.bytes)
      try StoreFormat.format.write(meta, identifier: identifier, &transaction)
    } catch {
      throw StoreError(error)
    }
  }

  private struct Catalog: Equatable {
    var count: UInt32 = 0
    /// The sum of the hashes of all entries, in any order.
    var digest: UInt64 = 0
  }

  /// Nil if the table has a name that should be missing.
  private func catalog(
    _ transaction: borrowing ReadTransaction, lacks name: FeedName?
  ) throws(StoreError) -> Catalog? {
    var catalog = Catalog()
    let missing = name.map { Array($0.text.utf8) }
    do throws(LMDBError) {
      var cursor = try transaction.cursor(feeds)
      while try cursor.next() {
        if let missing, cursor.key.isEqual(to: missing.span.bytes) { return nil }
        let entry = Array(copying: cursor.key) + Array(copying: cursor.value)
        catalog.count &+= 1
        catalog.digest &+= KeyHash.hash(entry.span.bytes)
      }
    } catch {
      throw StoreError(error)
    }
    return catalog
  }
}
