extension FeedDatabase {
  /// The space that the store occupies, and its readers. Cost: one walk of the free lists and the
  /// rows.
  public func storeStatistics() throws(StoreError) -> StoreStatistics {
    try WholeStore(self).statistics()
  }

  func generationStates() throws(StoreError) -> [GenerationRow.State] {
    try tables.environment.read { transaction throws(StoreError) in
      try tables.rows(transaction).map(\.state)
    }
  }
}
