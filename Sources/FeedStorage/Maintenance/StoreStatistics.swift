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
