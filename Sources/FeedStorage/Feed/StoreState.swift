import LMDB

/// A committed state of a store. Two states are equal only if no process has committed in between.
package struct StoreState: Hashable, Sendable {
  let snapshot: Snapshot?
}

extension FeedDatabase {
  /// The state that a read would see now. Costs one read transaction and no lookup.
  package func state() throws(StoreError) -> StoreState {
    try tables.environment.read { transaction throws(StoreError) in
      StoreState(snapshot: transaction.snapshot)
    }
  }
}
