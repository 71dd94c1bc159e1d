import LMDB

/// The space that a store occupies, and its readers.
public struct StoreStatistics: Hashable, Sendable {
  /// A process that reads an environment.
  public struct Reader: Hashable, Sendable {
    /// Its process number.
    public let process: Int
    /// The number of commits since its snapshot, whose pages cannot be reused; nil if it reads
    /// nothing now.
    public let lag: Int?
  }

  /// The results of lookups by key, since the store was created or the file with the counters was
  /// lost. The counters are in shared memory, so a read never writes to the store.
  public struct Lookups: Hashable, Sendable {
    /// Lookups that found records of the key, or an image of the URL.
    public let hits: Int
    /// Lookups that found nothing, or only expired data.
    public let misses: Int

    /// The share of hits; nil if there were no lookups.
    public var hitRatio: Double? {
      hits + misses > 0 ? Double(hits) / Double(hits + misses) : nil
    }
  }

  /// One environment of the store.
  public struct Environment: Hashable, Sendable {
    /// Its name: `feeds`, `images`.
    public let name: String
    /// The size of its file in bytes.
    public let fileBytes: Int
    /// The bytes of its used pages.
    public let liveBytes: Int
    /// The bytes of its pages that are free, or will be once no snapshot needs them.
    public let freeBytes: Int
    /// The used slots of the reader table, of all processes.
    public let readers: [Reader]
    /// Lookups by key; nil if they cannot be counted.
    public let lookups: Lookups?

    /// The reader with the oldest snapshot.
    public var oldestReader: Reader? { readers.oldest }
  }

  /// All environments.
  public let environments: [Environment]
  /// The number of feeds that can be read.
  public let publishedGenerations: Int
  /// The number of ingests in progress, or killed and not yet swept.
  public let buildingGenerations: Int
  /// The number of replaced or deleted generations that are still being read or not yet swept.
  public let deadGenerations: Int
}

extension [StoreStatistics.Reader] {
  /// The reader with the oldest snapshot.
  package var oldest: StoreStatistics.Reader? {
    filter { $0.lag != nil }.max { ($0.lag ?? 0) < ($1.lag ?? 0) }
  }
}

extension FeedDatabase {
  /// The space that the store occupies, and its readers. Cost: one walk of the free lists and the
  /// rows.
  public func storeStatistics() throws(StoreError) -> StoreStatistics {
    try WholeStore(self).statistics()
  }

  func generationStates() throws(StoreError) -> [GenerationRow.GenerationState] {
    try tables.environment.read { transaction throws(StoreError) in
      try tables.rows(transaction).map(\.state)
    }
  }
}

extension WholeStore {
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

/// The numbers of lookups that found something and that did not, over all processes.
///
/// Reads do not write to the store. The counters are in a mapped file that the processes share; a
/// power cut or the loss of the file may reset them.
struct LookupCounters: Sendable {
  /// Threads count in different cache lines, to avoid contention.
  private static let lines = 8
  private static let lineCounters = 8
  static let count = lines * lineCounters

  private let map: SharedByteMap?

  /// - Parameter map: a map with `count` counters; nil disables counting.
  init(_ map: SharedByteMap?) { self.map = map }

  /// - Parameter hash: the hash of the lookup's key.
  func count(isFound: Bool, hash: UInt64) {
    let line = Int(truncatingIfNeeded: hash) & (Self.lines - 1)
    map?.increment(line * Self.lineCounters + (isFound ? 0 : 1))
  }

  /// Nil if counting is disabled.
  var lookups: StoreStatistics.Lookups? {
    guard let map else { return nil }
    func sum(_ number: Int) -> Int {
      (0..<Self.lines).reduce(0) { sum, line in
        sum + Int(clamping: map.value(ofCounter: line * Self.lineCounters + number))
      }
    }
    return StoreStatistics.Lookups(hits: sum(0), misses: sum(1))
  }
}
