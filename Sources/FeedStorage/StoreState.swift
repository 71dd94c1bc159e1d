import LMDB

/// A committed state of a store: the same twice only if nothing was committed in between, by
/// whatever process.
package struct StoreState: Hashable, Sendable {
  let snapshot: Snapshot?
}

extension FeedDatabase {
  /// The state that a read would see now. Costs one read transaction and looks nothing up.
  package func state() throws(StoreError) -> StoreState {
    try tables.environment.read { transaction throws(StoreError) in
      StoreState(snapshot: transaction.snapshot)
    }
  }
}
