import ArgumentParser
import FeedCore
import FeedStorage

#if Cluster
  import FeedCluster
#endif

/// The location of a store that the command may change, and how long it waits for other writers.
struct ChangedStoreOptions: ParsableArguments {
  @OptionGroup var location: StoreOptions

  @Option(
    help: ArgumentHelp(
      "The seconds to wait while another process is writing the store.", valueName: "s"))
  var waitTimeout = WriterTimeout.standard

  var directory: String {
    get throws(Failure) { try location.directory }
  }

  /// Opens the store, or creates it.
  func open(
    making options: FeedDatabase.Options = FeedDatabase.Options()
  ) throws(Failure) -> FeedDatabase {
    try location.open(making: waiting(options))
  }

  /// Opens an existing store.
  func openExisting() throws(Failure) -> FeedDatabase {
    try location.openExisting(waiting(FeedDatabase.Options()))
  }

  /// Opens a store; nil if it does not exist yet.
  func openIfExists() throws(Failure) -> FeedDatabase? {
    try location.openIfExists(waiting(FeedDatabase.Options()))
  }

  /// Opens a store of feeds, of images or of both, for operations on the whole store.
  func openWhole() throws(Failure) -> WholeStore {
    try location.openWhole(writerTimeout: waitTimeout.duration)
  }

  /// Opens the image store, or creates it.
  ///
  /// - Parameter byteCap: the new cap; nil keeps the present one.
  func openImages(byteCap: Int? = nil) throws(Failure) -> ImageStore {
    var options = ImageStore.Options(byteCap: byteCap)
    options.writerTimeout = waitTimeout.duration
    return try location.openImages(making: options)
  }

  /// Opens an existing image store.
  func openExistingImages() throws(Failure) -> ImageStore {
    var options = ImageStore.Options()
    options.writerTimeout = waitTimeout.duration
    return try location.openExistingImages(options)
  }

  #if Cluster
    /// Opens the near store of a cluster.
    func openNear(of shared: SharedStore) throws(Failure) -> FeedDatabase {
      try location.openNear(of: shared, waiting(FeedDatabase.Options()))
    }
  #endif

  private func waiting(_ options: FeedDatabase.Options) -> FeedDatabase.Options {
    var options = options
    options.writerTimeout = waitTimeout.duration
    return options
  }
}

/// The value of `--wait-timeout`: seconds, possibly with a fraction.
struct WriterTimeout: ExpressibleByArgument {
  static let standard = WriterTimeout(duration: .seconds(30))

  let duration: Duration

  var defaultValueDescription: String { "\(duration.components.seconds)" }

  init(duration: Duration) { self.duration = duration }

  init?(argument: String) {
    guard let seconds = Double(argument), (0...86_400).contains(seconds) else { return nil }
    duration = .seconds(seconds)
  }
}

/// The value of `--wait`: seconds, or as long as it takes.
struct FeedWaitLimit: ExpressibleByArgument {
  /// The value of the option without a number. `CommandArguments` adds it: ArgumentParser would
  /// take the next word, which is a file.
  static let unlimited = "unlimited"

  /// Nil for as long as it takes.
  let timeout: Duration?

  init?(argument: String) {
    if argument == Self.unlimited {
      timeout = nil
    } else {
      guard let value = WriterTimeout(argument: argument) else { return nil }
      timeout = value.duration
    }
  }
}
