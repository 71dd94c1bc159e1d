/// What a store occupies and who reads it.
public struct StoreStatistics: Hashable, Sendable {
  /// A process that reads an environment.
  public struct Reader: Hashable, Sendable {
    /// Its number.
    public let process: Int
    /// How many commits lie behind its snapshot, whose pages cannot be used again; nil where it
    /// reads nothing right now.
    public let lag: Int?
  }

  /// What those who looked something up by its key got, since the store was made or the file with
  /// the counts was lost. Counted in memory that all processes share, so that a read never writes to
  /// the store.
  public struct Lookups: Hashable, Sendable {
    /// Look-ups that found something: records of that key, an image of that URL.
    public let hits: Int
    /// Those that found nothing, or only what had expired.
    public let misses: Int

    /// The share of hits; nil where nothing was looked up.
    public var hitRatio: Double? {
      hits + misses > 0 ? Double(hits) / Double(hits + misses) : nil
    }
  }

  /// One environment of the store.
  public struct Environment: Hashable, Sendable {
    /// Its name: `feeds`, `images`.
    public let name: String
    /// The size of its file.
    public let fileBytes: Int
    /// The bytes of its pages in use.
    public let liveBytes: Int
    /// The bytes of its pages that are free, or will be once no snapshot needs them.
    public let freeBytes: Int
    /// Every slot of the reader table in use, of any process.
    public let readers: [Reader]
    /// Look-ups by key; nil where they cannot be counted.
    public let lookups: Lookups?

    /// The reader whose snapshot is the oldest.
    public var oldestReader: Reader? { readers.oldest }
  }

  /// Every environment.
  public let environments: [Environment]
  /// Feeds that can be read.
  public let publishedGenerations: Int
  /// Ingests under way, or killed and not yet swept.
  public let buildingGenerations: Int
  /// Generations that were replaced or deleted and are still being read or not yet swept.
  public let deadGenerations: Int
}

extension [StoreStatistics.Reader] {
  /// The one whose snapshot is the oldest.
  package var oldest: StoreStatistics.Reader? {
    filter { $0.lag != nil }.max { ($0.lag ?? 0) < ($1.lag ?? 0) }
  }
}
