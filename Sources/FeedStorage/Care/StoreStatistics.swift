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

    /// The reader whose snapshot is the oldest.
    public var oldestReader: Reader? {
      readers.filter { $0.lag != nil }.max { ($0.lag ?? 0) < ($1.lag ?? 0) }
    }
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
