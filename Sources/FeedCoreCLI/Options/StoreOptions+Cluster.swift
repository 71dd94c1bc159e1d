import FeedCore
import FeedStorage

#if Cluster
  import FeedCluster
  import RESPClient
#endif

extension StoreOptions {
  /// The location that was given.
  var location: String? { Self.location(given: path) }

  /// Whether the store is in a cluster.
  var isShared: Bool {
    guard let location else { return false }
    return location.hasPrefix("redis") && location.contains("://")
  }

  #if Cluster
    /// Opens the near store of a cluster.
    func openNear(_ options: FeedDatabase.Options) throws(Failure) -> FeedDatabase {
      try openNear(of: try shared(createsMissing: options.createsMissing), options)
    }

    func openNear(
      of shared: SharedStore, _ options: FeedDatabase.Options = FeedDatabase.Options()
    ) throws(Failure) -> FeedDatabase {
      let directory = try nearDirectory(of: shared)
      endOnDamage(directory)
      var options = options
      options.createsMissing = true
      do throws(StoreError) {
        return try shared.openNear(at: directory, options)
      } catch {
        throw Failure(error)
      }
    }

    /// All feeds, those of a cluster from the cluster.
    ///
    /// - Parameter report: receives the reason if the row of a feed cannot be read.
    func feeds(_ report: (Failure) throws(Failure) -> Void) throws(Failure) -> [FeedDescription] {
      guard isShared else { return try localFeeds() }
      let shared = try shared(createsMissing: false)
      let feeds: SharedFeeds
      do throws(StoreError) { feeds = try shared.feeds() } catch { throw Failure(error) }
      for error in feeds.failures { try report(Failure(error)) }
      return feeds.descriptions
    }

    /// The directory of the near store. It is not opened, since it may be damaged.
    var nearDirectory: String {
      get throws(Failure) {
        if let near = try clusterURL.near { return near }
        return try nearDirectory(of: try shared(createsMissing: false))
      }
    }

    private var clusterURL: ClusterURL {
      get throws(Failure) {
        do throws(ClusterURLError) { return try ClusterURL(location ?? "") } catch {
          // The text is not repeated, since it may have a password.
          throw Failure(.usage, "--store: \(error)")
        }
      }
    }

    /// Connects to the cluster.
    func shared(
      createsMissing: Bool = true, _ adjust: (inout SharedStore.Options) -> Void = { _ in }
    ) throws(Failure) -> SharedStore {
      let url = try clusterURL
      var options = SharedStore.Options()
      options.createsMissing = createsMissing
      if let cap = url.nearCap {
        guard let count = ByteCount(argument: cap) else {
          throw Failure(
            .usage, "--store: near-cap=\(cap): use a number of bytes such as 500MB or 2GiB")
        }
        options.nearCap = count.bytes
      }
      if let file = storeAuth ?? Self.environment("FEEDCORE_STORE_AUTH") {
        options.credentials = try ClusterCredentials.read(file)
      }
      adjust(&options)
      do throws(StoreError) {
        return try SharedStore.connect(to: url, options)
      } catch {
        throw Failure(error)
      }
    }

    /// Verifies the feeds in the cluster.
    func checkShared() throws(Failure) -> StoreCheckReport {
      let shared = try shared(createsMissing: false) { $0.readsPrimaries = true }
      do throws(StoreError) { return try shared.check() } catch { throw Failure(error) }
    }

    /// The nodes of the cluster; nil for a store in a directory.
    func sharedStatistics() throws(Failure) -> SharedStatisticsOutput? {
      guard isShared else { return nil }
      let shared = try shared(createsMissing: false)
      let near = try openNear(of: shared)
      do throws(StoreError) {
        return SharedStatisticsOutput(
          try shared.statistics(near), near.directory, cap: shared.options.nearCap)
      } catch {
        throw Failure(error)
      }
    }

    private func nearDirectory(of shared: SharedStore) throws(Failure) -> String {
      if let near = shared.url.near { return near }
      return try Self.cacheDirectory + "/near/" + String(shared.identifier, radix: 16)
    }
  #else
    func openNear(_ options: FeedDatabase.Options) throws(Failure) -> FeedDatabase {
      throw Self.absent
    }

    var nearDirectory: String { get throws(Failure) { throw Self.absent } }

    func checkShared() throws(Failure) -> StoreCheckReport { throw Self.absent }

    private static var absent: Failure {
      Failure(
        .usage,
        "this program was built without clusters; build it with the package trait Cluster")
    }

    func feeds(_ report: (Failure) throws(Failure) -> Void) throws(Failure) -> [FeedDescription] {
      try localFeeds()
    }
  #endif

  private func localFeeds() throws(Failure) -> [FeedDescription] {
    let database = try openExisting()
    do throws(StoreError) { return try database.feeds() } catch { throw Failure(error) }
  }
}
