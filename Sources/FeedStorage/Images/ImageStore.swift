import FeedRecord
public import LMDB
import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A store of images by URL in a directory: many readers, in this process and others, and a cap on
/// its bytes that is never exceeded.
///
/// It is a separate LMDB environment, `images`, next to the `feeds` of a ``FeedDatabase`` in the
/// same directory. Images stay when feeds are replaced; ``sweep(keepingImagesOf:)`` removes
/// those that no feed names. If there is no space for a new image, the CLOCK algorithm evicts those
/// that have not been read for the longest time, approximately.
public final class ImageStore: Sendable {
  /// The options for opening a store.
  public struct Options: Sendable {
    /// What a power cut may undo. Images can be fetched again, so the default is low.
    public var durability: Durability
    /// Whether to create a missing store.
    public var createsMissing: Bool
    /// The limit for the bytes of images and their rows: at least 1 MiB. The store saves it; nil
    /// keeps the saved limit, or 1 GiB in a new store. The file is larger by its free part, about a
    /// tenth.
    public var byteCap: Int?
    /// The limit for the bytes of one image: 16 MiB by default, at most 24 MiB.
    public var imageLimit = ImageFormat.imageLimit
    /// How long a change waits for a change that another process is committing; 30 seconds by
    /// default. After that it fails as busy, with the other process in the message.
    public var writerTimeout = Duration.seconds(30)
    /// The size in bytes up to which the file may grow because a reader holds an old state. An
    /// image beyond it is rejected, with the reader's process in the message. By default 1 GiB plus
    /// four times the used bytes.
    public var fileByteLimit: Int?
    /// Which other users may read a new store.
    public var sharing = Sharing.owner
    /// Whether to accept a network file system. A store can lose and mix data there as soon as two
    /// machines use it.
    public var allowsUnsafeFilesystem = false
    /// Returns the time in seconds since 2001-01-01T00:00:00Z.
    public var now: @Sendable () -> Double = { Date().timeIntervalSinceReferenceDate }
    /// The hash function for URLs. With another function than at creation nothing is found.
    package var hash: @Sendable (RawSpan) -> UInt128 = { KeyHash.wideHash($0) }
    /// The address space for the map in bytes; halved if the system refuses it. By default it covers
    /// the file system.
    package var mapSize: Int?

    /// The defaults: the durability of a cache, and creation of a missing store.
    public init(
      durability: Durability = .cache, createsMissing: Bool = true, byteCap: Int? = nil
    ) {
      self.durability = durability
      self.createsMissing = createsMissing
      self.byteCap = byteCap
    }
  }

  /// The store's directory as given by the caller.
  public let directory: String
  /// The limit for the bytes of one image.
  public var imageLimit: Int { options.imageLimit }
  /// The greatest limit of a store.
  package static var maximumImageLimit: Int { ImageFormat.maximumImageLimit }
  let tables: ImageTables
  let options: Options
  let access: ImageAccess
  let verifiedImages = VerifiedImages()
  let cache = ImageCache()
  /// The shared store whose images these are copies of.
  let authority: (any ImageAuthority)?
  private let space: Mutex<StoreSpace>

  /// Opens the image store in a directory, or creates one there.
  ///
  /// - Parameters:
  ///   - directory: may be that of a ``FeedDatabase``
  ///   - options: the options for opening it
  /// - Throws: `notFound` if there is none and none may be created; `misuse` for an invalid cap or
  ///   limit; `damaged`, `incompatible`, `permission` or `busy`
  public static func open(
    at directory: String, options: Options = Options()
  ) throws(StoreError) -> ImageStore {
    try open(at: directory, options, nil)
  }

  static func open(
    at directory: String, _ options: Options, _ authority: (any ImageAuthority)?
  ) throws(StoreError) -> ImageStore {
    try verify(options)
    let environment = directory + "/" + ImageFormat.environmentDirectory
    do throws(LMDBError) {
      if options.sharing == .group { try FileLock.createDirectory(directory, .group) }
      if !options.createsMissing, try !Environment.exists(environment) {
        throw LMDBError(.notFound, "there are no images; put one first", path: directory)
      }
    } catch {
      throw StoreError(error)
    }
    let tables = try ImageTables.open(environment, options)
    let store = ImageStore(directory, options, tables, authority)
    if let byteCap = options.byteCap { try store.setByteCap(byteCap) }
    return store
  }

  private init(
    _ directory: String, _ options: Options, _ tables: ImageTables,
    _ authority: (any ImageAuthority)?
  ) {
    self.directory = directory
    self.authority = authority
    self.options = options
    self.tables = tables
    access = ImageAccess(tables.environment.path, options.sharing)
    space = Mutex(
      StoreSpace(
        tables.environment, growthLimit: options.fileByteLimit,
        limitName: "fileByteLimit"))
  }

  private static func verify(_ options: Options) throws(StoreError) {
    if let byteCap = options.byteCap { try verify(byteCap: byteCap) }
    guard (1...ImageFormat.maximumImageLimit).contains(options.imageLimit) else {
      throw StoreError(
        .misuse, "images can be limited to at most 24 MiB, not \(options.imageLimit)")
    }
  }

  static func verify(byteCap: Int) throws(StoreError) {
    guard byteCap >= ImageFormat.minimumByteCap else {
      throw StoreError(
        .misuse,
        "an image store needs a cap of at least \(ImageFormat.minimumByteCap) bytes, not"
          + " \(byteCap)")
    }
  }

  /// Whether reading is no longer possible, as for ``FeedDatabase``.
  package var isClosed: Bool { tables.environment.isClosed }

  /// Must be called before an image is stored.
  func refuseReader(beforeWriting bytes: Int) throws(StoreError) {
    try space.withLock { space throws(StoreError) in
      try space.refuseReader(beforeWriting: bytes)
    }
  }

  func key(of url: RawSpan) -> ImageKey { ImageKey(options.hash(url)) }

  func key(of url: String) -> ImageKey {
    let text = url.utf8
    return key(of: text.span.bytes)
  }
}

// The same operations with Foundation's types. A URL is looked up by its absolute text.
extension ImageStore {
  /// Stores an image; see ``insert(_:for:_:)-(RawSpan,_,_)``.
  public func insert(
    _ data: Data, for url: URL, _ metadata: ImageMetadata = ImageMetadata()
  ) throws(StoreError) {
    try insert(data.bytes, for: url.absoluteString, metadata)
  }

  /// Copies an image from the store; nil if there is none with this URL, or it has expired.
  public func retrieve(dataForURL url: URL) throws(StoreError) -> Data? {
    if isCopy { return try retrieve(url.absoluteString).map { Data($0.bytes) } }
    return try withImageData(for: url.absoluteString) { chunks throws(StoreError) in
      var data = Data(capacity: chunks.byteCount)
      while let chunk = try chunks.next() {
        chunk.withUnsafeBytes { data.append(contentsOf: $0) }
      }
      return data
    }
  }

  /// Updates the metadata of an image; see ``renew(_:metadata:)-(String,_)``.
  @discardableResult
  public func renew(_ url: URL, metadata: ImageMetadata) throws(StoreError) -> Bool {
    try renew(url.absoluteString, metadata: metadata)
  }

  /// Whether an image would be delivered. Does not count as a read.
  public func contains(_ url: URL) throws(StoreError) -> Bool {
    try contains(url.absoluteString)
  }

  /// Removes an image; returns false if there is none with this URL.
  @discardableResult
  public func remove(_ url: URL) throws(StoreError) -> Bool {
    try remove(url.absoluteString)
  }

  /// Removes every image whose URL is not among these, and every expired or damaged one.
  @discardableResult
  public func sweep(keeping urls: some Sequence<URL>) throws(StoreError) -> ImageSweepReport {
    try sweep(keeping: urls.lazy.map(\.absoluteString))
  }
}
