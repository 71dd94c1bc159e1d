import LMDB

/// A store with all its environments: feeds, images, or both.
package struct WholeStore {
  let directory: String
  /// Nil if there are only images: reading them must not create an environment of feeds.
  private let feeds: FeedDatabase?

  /// Opens the existing environments and creates nothing.
  ///
  /// - Throws: as ``FeedDatabase/open(at:options:)``; also `notFound` if there is nothing
  package static func open(at directory: String) throws(StoreError) -> WholeStore {
    let names = Environment.names(in: directory)
    guard names.isEmpty || names.contains(StoreFormat.environmentDirectory) else {
      return WholeStore(directory: directory, feeds: nil)
    }
    return WholeStore(
      try FeedDatabase.open(at: directory, options: .init(createsMissing: false)))
  }

  init(_ feeds: FeedDatabase) { self.init(directory: feeds.directory, feeds: feeds) }

  private init(directory: String, feeds: FeedDatabase?) {
    self.directory = directory
    self.feeds = feeds
  }

  /// See ``FeedDatabase/storeStatistics()``.
  package func statistics() throws(StoreError) -> StoreStatistics {
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
    let states = try feeds?.generationStates() ?? []
    return StoreStatistics(
      environments: environments,
      publishedGenerations: states.count { $0 == .published },
      buildingGenerations: states.count { $0 == .building },
      deadGenerations: states.count { $0 == .dead })
  }

  /// See ``FeedDatabase/compact()``.
  package func compact() throws(StoreError) -> [CompactionReport] {
    var reports: [CompactionReport] = []
    for name in Environment.names(in: directory) {
      do throws(LMDBError) {
        let environment = try environment(name)
        let before = try environment.statistics().fileBytes
        try environment.compact()
        let after = try environment.statistics().fileBytes
        reports.append(
          CompactionReport(environment: name, bytesBefore: before, bytesAfter: after))
      } catch {
        throw StoreError(error)
      }
    }
    return reports
  }

  /// See ``FeedDatabase/backUp(to:)``.
  package func backUp(to target: String) throws(StoreError) -> [String] {
    let names = Environment.names(in: directory)
    guard Environment.names(in: target).isEmpty else {
      throw StoreError(
        .misuse, "the directory holds a store already; name another one", path: target)
    }
    do throws(LMDBError) {
      let environments = try names.map { name throws(LMDBError) in try environment(name) }
      for environment in environments where try environment.contains(target) {
        throw LMDBError(
          .invalidArgument,
          "a backup in the store's own directory would go where that goes, when the store is"
            + " compacted or moved aside; name another directory", path: target)
      }
      try FileLock.createDirectory(target)
      for (name, environment) in zip(names, environments) {
        try environment.backUp(to: target + "/" + name)
      }
    } catch {
      throw StoreError(error)
    }
    return names
  }

  private func environment(_ name: String) throws(LMDBError) -> Environment {
    if name == StoreFormat.environmentDirectory, let feeds { return feeds.tables.environment }
    return try Environment.open(
      directory + "/" + name, .init(tables: FeedDatabase.tables(ofEnvironment: name)))
  }

  private func lookups(_ name: String, _ path: String) -> StoreStatistics.Lookups? {
    switch name {
    case StoreFormat.environmentDirectory: feeds?.lookupCounters.lookups
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
