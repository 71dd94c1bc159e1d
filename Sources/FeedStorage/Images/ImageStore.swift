import FeedRecord
public import LMDB
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A store of images by URL in a directory: many readers, in this process and others, and a cap
/// on its bytes that is never exceeded.
///
/// It is an LMDB environment of its own, `images`, beside the `feeds` of a ``FeedDatabase`` in
/// the same directory. Images stay when feeds are replaced; ``sweep(keepingImagesOf:catalog:)``
/// removes those that no feed names any more. Where a new image finds no room, others leave:
/// those first that were not read for longest, as far as the clock algorithm tells.
public final class ImageStore: Sendable {
  /// How a store is opened.
  public struct Options: Sendable {
    /// What a power cut may take back. An image can be fetched again, so little is asked of it.
    public var durability: Durability
    /// Whether a store is made where there is none.
    public var createsMissing: Bool
    /// The bytes that the images, with all that is kept to find them, may occupy: at least 1 MiB.
    /// It is kept in the store; nil leaves what is there, or 1 GiB in a new one. The file is
    /// larger by what is free in it, about a tenth.
    public var byteCap: Int?
    /// The bytes that one image may have, 16 MiB by default and at most 24.
    public var imageLimit = ImageFormat.imageLimit
    /// The bytes that the file may reach because a reader holds an old state: an image that is to
    /// be stored beyond it is refused, naming the reader's process. By default 1 GiB and four times
    /// the bytes in use.
    public var fileBytesBesideReader: Int?
    /// Who else may read a store that is made.
    public var sharing = Sharing.owner
    /// Whether a network file system is taken, on which a store can lose and mix data as soon as
    /// two machines use it.
    public var allowsUnsafeFilesystem = false
    /// Tells the time, in seconds since 2001-01-01T00:00:00Z.
    public var now: @Sendable () -> Double = { Date().timeIntervalSinceReferenceDate }
    /// The hash by which URLs are found; another one than the store was made with finds nothing.
    package var hash: @Sendable (RawSpan) -> UInt128 = { KeyHash.wideHash($0) }
    /// The address space for the map in bytes, halved where the system refuses it.
    package var mapSize = 1 << 40

    /// The defaults: the durability of a cache, and a store made where there is none.
    public init(
      durability: Durability = .cache, createsMissing: Bool = true, byteCap: Int? = nil
    ) {
      self.durability = durability
      self.createsMissing = createsMissing
      self.byteCap = byteCap
    }
  }

  /// The store's directory as it was given.
  public let directory: String
  /// The bytes that one image may have.
  public var imageLimit: Int { options.imageLimit }
  let tables: ImageTables
  let options: Options
  let access: ImageAccess
  let checks = ImageChecks()
  let known = KnownImages()
  private let room: Mutex<StoreRoom>

  /// Opens the image store in a directory, or makes one there.
  ///
  /// - Parameters:
  ///   - directory: may be that of a ``FeedDatabase``
  ///   - options: how it is opened
  /// - Throws: `notFound` where there is none and none is to be made; `misuse` for a cap or a
  ///   limit that cannot be; `damaged`, `incompatible`, `permission` or `busy`
  public static func open(
    at directory: String, options: Options = Options()
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
    let store = ImageStore(directory, options, try ImageTables.open(environment, options))
    if let byteCap = options.byteCap { try store.setByteCap(byteCap) }
    return store
  }

  private init(_ directory: String, _ options: Options, _ tables: ImageTables) {
    self.directory = directory
    self.options = options
    self.tables = tables
    access = ImageAccess(tables.environment.path, options.sharing)
    room = Mutex(
      StoreRoom(
        tables.environment, growthLimit: options.fileBytesBesideReader,
        limitName: "fileBytesBesideReader"))
  }

  private static func verify(_ options: Options) throws(StoreError) {
    if let byteCap = options.byteCap { try verify(byteCap: byteCap) }
    guard (1...ImageFormat.largestImageLimit).contains(options.imageLimit) else {
      throw StoreError(
        .misuse, "images can be limited to at most 24 MiB, not \(options.imageLimit)")
    }
  }

  static func verify(byteCap: Int) throws(StoreError) {
    guard byteCap >= ImageFormat.smallestByteCap else {
      throw StoreError(
        .misuse,
        "an image store needs a cap of at least \(ImageFormat.smallestByteCap) bytes, not"
          + " \(byteCap)")
    }
  }

  /// Whether it can be read no more, as ``FeedDatabase`` says it of itself.
  package var isClosed: Bool { tables.environment.isClosed }

  /// To be asked before an image is stored.
  func refuseReader(beforeWriting bytes: Int) throws(StoreError) {
    try room.withLock { room throws(StoreError) in
      try room.refuseReader(beforeWriting: bytes)
    }
  }

  func key(of url: RawSpan) -> ImageKey { ImageKey(options.hash(url)) }

  func key(of url: String) -> ImageKey {
    let text = url.utf8
    return key(of: text.span.bytes)
  }
}
