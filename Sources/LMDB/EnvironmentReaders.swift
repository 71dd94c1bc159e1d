/// What lends snapshots of an environment; of use as long as the environment is open.
///
/// The environment itself is known weakly to a registry, and to retain it costs several times as
/// much as to retain this: for one who looks up a single record that is a tenth of the time.
package struct EnvironmentReaders: Sendable {
  private let store: EnvironmentStore

  init(_ store: EnvironmentStore) { self.store = store }

  /// A snapshot of what is committed right now; `release` must follow.
  @usableFromInline
  package func acquire() throws(LMDBError) -> OpaquePointer { try store.acquireReader() }

  /// Ends the snapshot.
  @usableFromInline
  package func release(_ reader: OpaquePointer) { store.release(reader: reader) }

  /// What is lent to a body between the two.
  @usableFromInline
  package func transaction(_ reader: OpaquePointer) -> ReadTransaction {
    ReadTransaction(handle: reader, store: .passUnretained(store))
  }
}
