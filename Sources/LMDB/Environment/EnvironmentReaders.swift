/// Provides snapshots of an environment, which must stay open meanwhile.
///
/// A registry holds the environment weakly, so retaining the environment costs several times as
/// much as retaining this value. That difference is a tenth of the time of a single lookup.
package struct EnvironmentReaders: Sendable {
  private let store: EnvironmentStore

  init(_ store: EnvironmentStore) { self.store = store }

  /// Begins a snapshot of the current committed state; `release` must follow.
  @usableFromInline
  package func acquire() throws(LMDBError) -> OpaquePointer { try store.acquireReader() }

  /// Ends the snapshot.
  @usableFromInline
  package func release(_ reader: OpaquePointer) { store.release(reader: reader) }

  /// The transaction to pass to a body between `acquire` and `release`.
  @usableFromInline
  package func transaction(_ reader: OpaquePointer) -> ReadTransaction {
    ReadTransaction(handle: reader, store: .passUnretained(store))
  }
}
