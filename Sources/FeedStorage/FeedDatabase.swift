public import FeedSchema
public import LMDB
import Synchronization

/// A store of feeds in a directory: many readers, in this process and others, and one ingest per
/// feed.
///
/// The directory holds the LMDB environments `feeds` and `images`, and `locks`. Other programs must
/// not touch its contents, and it must be on a local disk.
public final class FeedDatabase: Sendable {
  /// The options for opening a store.
  public struct Options: Hashable, Sendable {
    /// What a power cut may undo. It never undoes a published feed.
    public var durability: Durability
    /// Whether to create a missing store.
    public var createsMissing: Bool
    /// How long a change waits for a change that another process is committing; 30 seconds by
    /// default. After that it fails as busy, with the other process in the message.
    public var writerTimeout = Duration.seconds(30)
    /// The size in bytes up to which the file may grow because a reader holds an old state. A
    /// larger ingest is rejected, with the reader's process in the message. By default 1 GiB plus
    /// four times the used bytes.
    public var fileByteLimit: Int?
    /// Which other users may read a new store.
    public var sharing: Sharing
    /// Whether to accept a network file system. A store can lose and mix data there as soon as two
    /// machines use it.
    public var allowsUnsafeFilesystem = false
    /// The schemas of feeds that were stored before a store held schemas.
    public var catalog = PayloadCatalog.standard
    /// Whether to create a new store in the temporary directory and remove it on close. A directory
    /// at or under `/dev/null` means the same.
    public var isEphemeral = false
    /// The number of pairs of all indexes that an ingest holds in memory, 8 bytes each.
    package var indexPairs = 1 << 19
    /// An append rewrites feeds with fewer bytes than this into one segment.
    package var smallFeedBytes = 8 << 20
    /// The address space for the map in bytes; halved if the system refuses it. By default it covers
    /// the file system.
    package var mapSize: Int?

    /// The defaults: the durability of a cache, and creation of a missing store.
    public init(
      durability: Durability = .cache, createsMissing: Bool = true, sharing: Sharing = .owner
    ) {
      self.durability = durability
      self.createsMissing = createsMissing
      self.sharing = sharing
    }
  }

  /// The store's directory as given by the caller; that of an ephemeral store is in the temporary
  /// directory.
  public let directory: String
  let tables: StoreTables
  let locks: StoreLocks
  /// The schemas of feeds that have none in the store.
  package let catalog: PayloadCatalog
  let indexPairs: Int
  /// How long a change waits for others.
  package let writerTimeout: Duration
  let growthLimit: Int?
  let lookupCounters: LookupCounters
  let requestTimes: FeedRequestTimes
  /// Decides about changes, if this store is a copy of a shared one.
  let authority: (any FeedAuthority)?
  private let privateDirectory: PrivateDirectory?
  let smallFeedBytes: Int
  private let published = Mutex(Published())

  /// Cached results for lookups.
  private struct Published {
    /// The last generation of each name, and the snapshot in which it was read.
    var generations: [FeedName: (generation: PublishedGeneration, snapshot: Snapshot?)] = [:]
    /// The feed of the last request, and the snapshot in which it was read.
    var last: (snapshot: Snapshot, name: FeedName, generation: PublishedGeneration)?
    /// The number of cached generations at which deleted feeds are removed from the cache.
    var limit = Self.minimumLimit

    static let minimumLimit = 64
  }

  /// Opens the store in a directory, or creates one there.
  ///
  /// - Throws: `notFound` if there is none and none may be created; `damaged`, `incompatible`,
  ///   `permission` or `busy`
  public static func open(
    at directory: String, options: Options = Options()
  ) throws(StoreError) -> FeedDatabase {
    try open(directory, options, identifier: nil, nil)
  }

  /// Opens the local copy of a shared store, or creates it.
  ///
  /// - Parameters:
  ///   - identifier: the identifier of the shared store
  ///   - authority: asked about all changes of the copy
  /// - Throws: `incompatible` if the directory holds another store
  package static func open(
    at directory: String, options: Options, copyOf identifier: UInt64,
    _ authority: any FeedAuthority
  ) throws(StoreError) -> FeedDatabase {
    try open(directory, options, identifier: identifier, authority)
  }

  private static func open(
    _ directory: String, _ options: Options, identifier: UInt64?,
    _ authority: (any FeedAuthority)?
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
      tables = try StoreTables.open(environment, options, identifier: identifier)
    } catch {
      throw error.withRemedy
    }
    let locks = try StoreLocks(forEnvironment: tables.environment.path, options.sharing)
    return FeedDatabase(directory, options, tables, locks, privateDirectory, authority)
  }

  private static func privateDirectory(
    for directory: String, _ options: Options
  ) throws(StoreError) -> PrivateDirectory? {
    guard options.isEphemeral || PrivateDirectory.isMeant(by: directory) else { return nil }
    do throws(LMDBError) { return try PrivateDirectory() } catch { throw StoreError(error) }
  }

  private init(
    _ directory: String, _ options: Options, _ tables: StoreTables, _ locks: StoreLocks,
    _ privateDirectory: PrivateDirectory?, _ authority: (any FeedAuthority)?
  ) {
    self.directory = directory
    self.authority = authority
    self.privateDirectory = privateDirectory
    catalog = options.catalog
    indexPairs = options.indexPairs
    growthLimit = options.fileByteLimit
    writerTimeout = options.writerTimeout
    smallFeedBytes = options.smallFeedBytes
    self.tables = tables
    self.locks = locks
    lookupCounters = locks.lookupCounters()
    requestTimes = locks.requestTimes(isCreated: authority?.limitsCopies == true)
  }

  /// The descriptions of all feeds, sorted by name, from one snapshot.
  public func feeds() throws(StoreError) -> [FeedDescription] {
    try tables.environment.read { transaction throws(StoreError) in try feeds(transaction) }
  }

  /// The names of all feeds, including unreadable ones.
  package func feedNames() throws(StoreError) -> [FeedName] {
    try tables.environment.read { transaction throws(StoreError) in
      try tables.names(transaction)
    }
  }

  /// Whether reading is no longer possible, because another store has replaced it or it could not
  /// be reopened after a failure.
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

  /// The description of a feed; nil if there is none with this name. For reading its records, get
  /// the feed by ``feed(named:)``.
  public func feedDescription(named name: FeedName) throws(StoreError) -> FeedDescription? {
    try tables.environment.read { transaction throws(StoreError) in
      try generation(of: name, transaction)?.description
    }
  }

  /// The generation of a name; its row is decoded once for each state of the store.
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

  /// Removes the generations of deleted feeds from the cache. If the list of feeds cannot be read,
  /// the code that needs it reports the error.
  private func forgetDeleted(_ transaction: borrowing ReadTransaction) {
    let names = (try? tables.names(transaction)).map { Set($0) }
    published.withLock { published in
      if let names {
        published.generations = published.generations.filter { names.contains($0.key) }
      }
      published.limit = max(Published.minimumLimit, 2 * published.generations.count)
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
        row, envelope: try tables.envelope(of: row, transaction),
        try schema(of: row, transaction), in: tables, mapping: mapping)
    }
    // The records of a generation never change, but its timestamp does.
    return known.isOf(row, mapping: mapping)
      ? known : PublishedGeneration(row, of: known, mapping: mapping)
  }

  /// The schema of a generation, from the store or else from the catalog.
  func schema(
    of row: GenerationRow, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> StoredSchema {
    try StoredSchema(try tables.schemaText(of: row, transaction), of: row, catalog)
  }

  func notFound(_ name: FeedName) -> StoreError {
    StoreError(.notFound, "there is no feed named \(name)", path: directory)
  }

  /// The space that the store's environment occupies, and its readers.
  package func statistics() throws(StoreError) -> EnvironmentStatistics {
    do throws(LMDBError) {
      return try tables.environment.statistics()
    } catch {
      throw StoreError(error)
    }
  }
}
