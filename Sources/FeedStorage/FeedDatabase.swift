public import LMDB
import Synchronization

/// A store of feeds in a directory: many readers, in this process and others, and one ingest a feed.
///
/// The directory holds `feeds`, an LMDB environment, and `locks`. Nothing in
/// it is to be touched by anyone else, and it has to lie on a local disk.
public final class FeedDatabase: Sendable {
  /// How a store is opened.
  public struct Options: Hashable, Sendable {
    /// What a power cut may take back. A published feed is never among it.
    public var durability: Durability
    /// Whether a store is made where there is none.
    public var createsMissing: Bool
    /// The bytes that the file may reach because a reader holds an old state: an ingest beyond it
    /// is refused, naming the reader's process. By default 1 GiB and four times the bytes in use.
    public var fileBytesBesideReader: Int?
    /// Who else may read a store that is made.
    public var sharing: Sharing
    /// Whether a network file system is taken, on which a store can lose and mix data as soon as
    /// two machines use it.
    public var allowsUnsafeFilesystem = false
    /// Whether the store is a new one in the temporary directory, removed when it is closed. A
    /// directory at or under `/dev/null` means the same.
    public var isEphemeral = false
    /// Pairs of all indexes that an ingest holds in memory, 8 bytes each.
    package var indexPairs = 1 << 19
    /// An append rewrites feeds smaller than this, in bytes, into one segment.
    package var smallFeedBytes = 8 << 20
    /// The address space for the map in bytes, halved where the system refuses it.
    package var mapSize = 1 << 40

    /// The defaults: the durability of a cache, and a store made where there is none.
    public init(
      durability: Durability = .cache, createsMissing: Bool = true, sharing: Sharing = .owner
    ) {
      self.durability = durability
      self.createsMissing = createsMissing
      self.sharing = sharing
    }
  }

  /// The store's directory as it was given; that of a private store is in the temporary one.
  public let directory: String
  let tables: StoreTables
  let locks: StoreLocks
  let indexPairs: Int
  let growthLimit: Int?
  let openSnapshots = OpenSnapshots()
  let lookupCounters: LookupCounters
  private let privateDirectory: PrivateDirectory?
  let smallFeedBytes: Int
  private let published = Mutex(Published())

  /// What look-ups need not find out again.
  private struct Published {
    /// The generation last seen under each name, and the snapshot in which it was.
    var generations: [FeedName: (generation: PublishedGeneration, snapshot: Snapshot?)] = [:]
    /// The feed last asked for, and the snapshot that was looked into for it.
    var last: (snapshot: Snapshot, name: FeedName, generation: PublishedGeneration)?
    /// So many may be kept before it is looked which of them are feeds still.
    var limit = Self.leastLimit

    static let leastLimit = 64
  }

  /// Opens the store in a directory, or makes one there.
  ///
  /// - Throws: `notFound` where there is none and none is to be made;
  ///   `damaged`, `incompatible`, `permission` or `busy`
  public static func open(
    at directory: String, options: Options = Options()
  ) throws(StoreError) -> FeedDatabase {
    let privateDirectory = try privateDirectory(for: directory, options)
    let directory = privateDirectory?.path ?? directory
    let environment = directory + "/" + StoreFormat.environmentDirectory
    do throws(LMDBError) {
      if privateDirectory == nil, !options.createsMissing, try !Environment.exists(environment) {
        throw LMDBError(.notFound, "there is no store; ingest something first", path: directory)
      }
      if options.sharing == .group { try FileLock.createDirectory(directory, .group) }
    } catch {
      throw StoreError(error)
    }
    let tables: StoreTables
    do throws(StoreError) {
      tables = try StoreTables.open(environment, options)
    } catch {
      throw error.withRemedy
    }
    let locks = try StoreLocks(beside: tables.environment.path, options.sharing)
    return FeedDatabase(directory, options, tables, locks, privateDirectory)
  }

  private static func privateDirectory(
    for directory: String, _ options: Options
  ) throws(StoreError) -> PrivateDirectory? {
    guard options.isEphemeral || PrivateDirectory.isMeant(by: directory) else { return nil }
    do throws(LMDBError) { return try PrivateDirectory() } catch { throw StoreError(error) }
  }

  private init(
    _ directory: String, _ options: Options, _ tables: StoreTables, _ locks: StoreLocks,
    _ privateDirectory: PrivateDirectory?
  ) {
    self.directory = directory
    self.privateDirectory = privateDirectory
    indexPairs = options.indexPairs
    growthLimit = options.fileBytesBesideReader
    smallFeedBytes = options.smallFeedBytes
    self.tables = tables
    self.locks = locks
    lookupCounters = locks.lookupCounters()
  }

  /// The descriptions of all feeds, by name, from one snapshot.
  public func feeds() throws(StoreError) -> [FeedDescription] {
    try tables.environment.read { transaction throws(StoreError) in try feeds(transaction) }
  }

  /// The names of all feeds, also of those that cannot be read.
  package func feedNames() throws(StoreError) -> [FeedName] {
    try tables.environment.read { transaction throws(StoreError) in
      try tables.names(transaction)
    }
  }

  /// Whether it can be read no more, because another store was put in its place, or because it could
  /// not be opened again after a failure.
  package var isClosed: Bool { tables.environment.isClosed }

  func feeds(
    _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> [FeedDescription] {
    var descriptions: [FeedDescription] = []
    for name in try tables.names(transaction) {
      if let generation = try generation(of: name, transaction) {
        descriptions.append(generation.description)
      }
    }
    return descriptions
  }

  /// The description of a feed; nil where there is none of this name.
  public func feed(named name: FeedName) throws(StoreError) -> FeedDescription? {
    try tables.environment.read { transaction throws(StoreError) in
      try generation(of: name, transaction)?.description
    }
  }

  /// The generation a name points at; its row is decoded once for each state of the store.
  func generation(
    of name: FeedName, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> PublishedGeneration? {
    let snapshot = transaction.snapshot
    let last: PublishedGeneration? = published.withLock { published in
      guard let last = published.last, last.snapshot == snapshot, last.name == name else {
        return nil
      }
      return last.generation
    }
    if let last { return last }
    guard let generation = try stored(name, transaction) else {
      published.withLock { published in published.generations[name] = nil }
      return nil
    }
    let isFull = published.withLock { published in
      published.generations[name] = (generation, snapshot)
      if let snapshot { published.last = (snapshot, name, generation) }
      return published.generations.count > published.limit
    }
    if isFull { forgetDeleted(transaction) }
    return generation
  }

  /// Forgets the generations of feeds that are there no more. Where the list of feeds cannot be
  /// read, that is told by who needs it.
  private func forgetDeleted(_ transaction: borrowing ReadTransaction) {
    let names = (try? tables.names(transaction)).map { Set($0) }
    published.withLock { published in
      if let names {
        published.generations = published.generations.filter { names.contains($0.key) }
      }
      published.limit = max(Published.leastLimit, 2 * published.generations.count)
    }
  }

  private func stored(
    _ name: FeedName, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> PublishedGeneration? {
    let known = published.withLock { $0.generations[name] }
    if let known, let snapshot = transaction.snapshot, known.snapshot == snapshot {
      return known.generation
    }
    guard let row = try tables.currentRow(name, transaction) else { return nil }
    let mapping = transaction.mappingNumber
    guard let known = known?.generation, known.row.hasRecords(of: row) else {
      return PublishedGeneration(
        row, envelope: try tables.envelope(of: row, transaction), in: tables, mapping: mapping)
    }
    // The records of a generation never change; when it was current does.
    return known.isOf(row, mapping: mapping)
      ? known : PublishedGeneration(row, of: known, mapping: mapping)
  }

  func notFound(_ name: FeedName) -> StoreError {
    StoreError(.notFound, "there is no feed named \(name)", path: directory)
  }

  /// What the store's environment occupies and who reads it.
  package func statistics() throws(StoreError) -> EnvironmentStatistics {
    do throws(LMDBError) {
      return try tables.environment.statistics()
    } catch {
      throw StoreError(error)
    }
  }
}
