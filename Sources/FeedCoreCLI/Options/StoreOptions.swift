import ArgumentParser
import FeedCore
import FeedStorage
import FeedTools
import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The location of the store.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "The directory of the store, or the URL of a cluster that holds it.",
      discussion: "By default $FEEDCORE_STORE, else $XDG_CACHE_HOME/feedcore, else"
        + " ~/.cache/feedcore. A path at or under /dev/null means a temporary store, which the"
        + " command removes at its end. A URL is redis-cluster://HOST:PORT,…/PREFIX of a Redis or"
        + " Valkey Cluster, or redis://HOST:PORT of one node; with rediss it uses TLS. The host reads"
        + " from a near store, by default in ~/.cache/feedcore/near. Parameters: near=DIR,"
        + " near-cap=SIZE, read=primary|replica, wait=N, eviction=refuse|unsafe; for TLS ca=FILE,"
        + " cert=FILE, key=FILE, server-name=NAME.",
      valueName: "dir"),
    completion: .directory)
  var path: String?

  @Option(
    help: ArgumentHelp(
      "The file with NAME:PASSWORD or a password for the cluster.",
      discussion: "By default $FEEDCORE_STORE_AUTH, which names the file.", valueName: "file"),
    completion: .file())
  var storeAuth: String?

  func validate() throws {
    try GivenPath.refuseEmpty([path], "--store")
    if !isShared, let directory = try? directory { NumberedChild.note(directory) }
  }

  /// Options for another store, with the same credentials.
  func at(_ location: String) -> StoreOptions {
    var other = StoreOptions()
    other.path = location
    other.storeAuth = storeAuth
    return other
  }

  /// Opens the store, or creates it.
  func open(making options: FeedDatabase.Options) throws(Failure) -> FeedDatabase {
    do throws(Failure) {
      return try open(options)
    } catch  where error.status == .noInput {
      // A path at which no store can be created is a failure of output, not of input.
      throw Failure(.failedIO, error.message)
    }
  }

  /// Opens an existing store.
  func openExisting(
    _ options: FeedDatabase.Options = FeedDatabase.Options()
  ) throws(Failure) -> FeedDatabase {
    var options = options
    options.createsMissing = false
    return try open(options)
  }

  /// The directory of the store, or that of the near store of a cluster.
  var localDirectory: String {
    get throws(Failure) { isShared ? try nearDirectory : try directory }
  }

  /// Opens a store of feeds, of images or of both, for operations on the whole store.
  func openWhole(
    writerTimeout: Duration = WriterTimeout.standard.duration
  ) throws(Failure) -> WholeStore {
    let directory = try localDirectory
    endOnDamage(directory)
    do throws(StoreError) {
      return try WholeStore.open(at: directory, writerTimeout: writerTimeout)
    } catch {
      throw Failure(error)
    }
  }

  /// Opens a store; nil if it does not exist yet.
  func openIfExists(
    _ options: FeedDatabase.Options = FeedDatabase.Options()
  ) throws(Failure) -> FeedDatabase? {
    do throws(Failure) {
      return try openExisting(options)
    } catch  where error.status == .noInput {
      return nil
    }
  }

  private func open(_ options: FeedDatabase.Options) throws(Failure) -> FeedDatabase {
    if isShared { return try openNear(options) }
    let directory = try directory
    endOnDamage(directory)
    do throws(StoreError) {
      return try FeedDatabase.open(at: directory, options: options)
    } catch {
      throw Failure(error)
    }
  }

  /// Makes a damaged memory map end the process with one line and exit status 74.
  func endOnDamage(_ directory: String) {
    DamagedStore.endProcess(
      saying: TerminalText.escaped(
        "\(directory): the store is damaged; run `feedcore store check` for the details"),
      status: ExitStatus.failedIO.rawValue)
  }

  var directory: String {
    get throws(Failure) { try Self.directory(given: path) }
  }

  /// - Parameter path: the value of `--store`.
  static func directory(given path: String?) throws(Failure) -> String {
    if let path = location(given: path) { return try GivenPath.directory(path) }
    return try cacheDirectory
  }

  /// The location that was given; nil for the default.
  static func location(given path: String?) -> String? { path ?? environment("FEEDCORE_STORE") }

  /// The directory of a store whose location is not given.
  static var cacheDirectory: String {
    get throws(Failure) {
      // The XDG base directory specification requires that a relative path is ignored.
      if let cache = environment("XDG_CACHE_HOME"), cache.hasPrefix("/") {
        return cache + "/feedcore"
      }
      if let home = environment("HOME") { return home + "/.cache/feedcore" }
      throw Failure(.usage, "there is no home directory; name a store with --store")
    }
  }

  static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}

extension StoreOptions {
  /// Opens the image store, or creates it.
  ///
  /// - Parameter options: also the new cap; nil keeps the present one.
  func openImages(making options: ImageStore.Options) throws(Failure) -> ImageStore {
    do throws(Failure) {
      return try openImages(options)
    } catch  where error.status == .noInput {
      // A path at which no store can be created is a failure of output, not of input.
      throw Failure(.failedIO, error.message)
    }
  }

  /// Opens an existing image store.
  func openExistingImages(
    _ options: ImageStore.Options = ImageStore.Options()
  ) throws(Failure) -> ImageStore {
    var options = options
    options.createsMissing = false
    return try openImages(options)
  }

  private func openImages(_ options: ImageStore.Options) throws(Failure) -> ImageStore {
    if isShared { return try openNearImages(options) }
    let directory = try directory
    endOnDamage(directory)
    do throws(StoreError) {
      return try ImageStore.open(at: directory, options: options)
    } catch {
      throw Failure(error)
    }
  }
}

extension StoreOptions {
  /// Opens the images of a near store, and creates their store if it is missing: an image may be
  /// only in the cluster.
  private func openNearImages(_ options: ImageStore.Options) throws(Failure) -> ImageStore {
    var feeds = FeedDatabase.Options()
    feeds.createsMissing = options.createsMissing
    let database = try openNear(feeds)
    var options = options
    options.createsMissing = true
    do throws(StoreError) { return try database.openImages(options) } catch {
      throw Failure(error)
    }
  }
}

extension FeedName {
  /// Parses a name from the command line.
  init(argument: String) throws(Failure) {
    do throws(StoreError) {
      try self.init(argument)
    } catch {
      throw Failure(.usage, "\(argument.isEmpty ? "''" : argument): \(error)")
    }
  }

  /// Parses the name of a new feed. A name that looks like an option is rejected, though the
  /// library accepts it: each later command would need it after `--`.
  init(ofNewFeed argument: String) throws(Failure) {
    try self.init(argument: argument)
    guard !text.hasPrefix("-") else {
      throw Failure(
        .usage,
        "\(argument): the name begins with a hyphen, and commands would take it for an option;"
          + " begin it with a letter")
    }
  }
}

extension StoreOptions {
  /// A feed that has to exist.
  ///
  /// - Throws: exit status 64 for an invalid name, 66 if the feed does not exist.
  func feed(named text: String) throws -> Feed {
    let name = try FeedName(argument: text)
    return try feed(named: name, in: openExisting())
  }

  /// The same in a store that is open.
  func feed(named name: FeedName, in database: FeedDatabase) throws -> Feed {
    if let error = try database.refresh(name) {
      StandardStreams.complain("\(error); this is the copy of the near store")
    }
    guard let feed = try database.feed(named: name) else { throw database.noFeed(named: name) }
    return feed
  }
}

extension FeedDatabase {
  /// The error for a missing feed, with the name that may have been meant.
  func noFeed(named name: FeedName) -> StoreError {
    let names = (try? feedNames().map(\.text)) ?? []
    return StoreError(
      .notFound,
      "there is no feed named \(name)\(Suggestion.question(for: name.text, among: names))",
      path: directory)
  }
}
