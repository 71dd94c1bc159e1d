import LMDB

extension FeedDatabase {
  /// What the store occupies and who reads it. Cost: one walk of the free lists and the rows.
  public func storeStatistics() throws(StoreError) -> StoreStatistics {
    var environments: [StoreStatistics.Environment] = []
    for name in Environment.names(in: directory) {
      do throws(LMDBError) {
        let environment = try environment(name)
        environments.append(
          .init(name, try environment.statistics(), lookups(name, environment.path)))
      } catch {
        throw StoreError(error)
      }
    }
    let states = try tables.environment.read { transaction throws(StoreError) in
      try tables.rows(transaction).map(\.state)
    }
    return StoreStatistics(
      environments: environments,
      publishedGenerations: states.count { $0 == .published },
      buildingGenerations: states.count { $0 == .building },
      deadGenerations: states.count { $0 == .dead })
  }

  private func lookups(_ name: String, _ path: String) -> StoreStatistics.Lookups? {
    switch name {
    case StoreFormat.environmentDirectory: lookupCounters.lookups
    case ImageFormat.environmentDirectory: ImageAccess.lookups(path)
    default: nil
    }
  }
}

extension StoreStatistics.Environment {
  fileprivate init(
    _ name: String, _ statistics: EnvironmentStatistics, _ lookups: StoreStatistics.Lookups?
  ) {
    let used = statistics.lastPage + 1 - statistics.freePages
    self.init(
      name: name, fileBytes: statistics.fileBytes, liveBytes: used * statistics.pageSize,
      freeBytes: statistics.freePages * statistics.pageSize,
      readers: statistics.readers.map { reader in
        StoreStatistics.Reader(
          process: reader.process,
          lag: reader.transaction.map { max(statistics.lastTransaction - $0, 0) })
      }, lookups: lookups)
  }
}
