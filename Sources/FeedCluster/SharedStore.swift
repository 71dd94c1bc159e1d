#if Cluster
  package import FeedStorage
  package import RESPClient
  import Synchronization
  import Threading

  /// A store of feeds in a Redis or Valkey Cluster, or in one node.
  ///
  /// The cluster holds the blocks of a store and one row for each feed. A host reads from its *near
  /// store*, an ordinary ``FeedDatabase`` that holds copies of the blocks. Changes of the near
  /// store go through the cluster.
  package final class SharedStore: Sendable {
    package struct Options: Sendable {
      package var credentials: RESPCredentials?
      /// How long a publish waits until replicas confirm it.
      package var publishTimeout = Duration.seconds(60)
      /// How long a block exists before it is sealed, unless its lease is renewed.
      package var lease = Duration.seconds(600)
      /// The bytes that the feeds of a near store may have together; nil for no limit.
      package var nearCap: Int?
      /// Whether to make a store that does not exist.
      package var createsMissing = true
      /// Whether to make a store that the cluster has lost, with the identifier of the near store in
      /// the URL.
      package var restoresLost = false
      /// Whether blocks come from primaries, whatever the URL says.
      package var readsPrimaries = false

      package init() {}
    }

    package let url: ClusterURL
    let client: any ClusterClient
    /// The identifier, which is part of every block's checksum.
    package let identifier: UInt64
    let keys: ClusterKeys
    package let options: Options
    /// Whether the cluster has been seen to have this identifier.
    private let isVerified: Atomic<Bool>
    let comparisons = ImageComparisons()
    /// The feeds that the cluster had at the last `look`; nil before the first one.
    let knownFeeds = Mutex<Set<FeedName>?>(nil)
    /// Lets one copy at a time reserve space.
    let spaceTurn = AsyncSemaphore(1)
    /// The bytes of the feeds that this process copies, for the limit of the near store.
    let reservedBytes = Mutex<[FeedName: Int]>([:])

    /// Connects to a cluster or a node, and makes the store there if it does not exist.
    ///
    /// While no node replies, the near store of the URL is used as it is, if it copies this store.
    ///
    /// - Throws: `unreachable`; `permission`; `notFound` for a store that may not be made; `busy`
    ///   if no replica has confirmed a new store; `damaged` if the key of the store has other
    ///   content; `misuse` if the cluster may evict feeds
    package static func connect(
      to url: ClusterURL, _ options: Options = Options()
    ) throws(StoreError) -> SharedStore {
      try ClusterThreads.shared.run { () async throws(StoreError) in
        var configuration = url.configuration
        configuration.credentials = options.credentials
        if options.readsPrimaries { configuration.reading = .primary }
        let client: RESPClusterClient
        let isNear = NearStoreOrigin(url).isNoted
        do throws(RESPClientError) {
          client = try await RESPClusterClient.connect(configuration, requiresNodes: !isNear)
        } catch {
          throw StoreError(error)
        }
        do throws(StoreError) {
          return try await SharedStore(url, client, options, isAway: !client.hasConnected)
        } catch {
          await client.close()
          throw error
        }
      }
    }

    private init(
      _ url: ClusterURL, _ client: any ClusterClient, _ options: Options, isAway: Bool
    ) async throws(StoreError) {
      self.url = url
      self.client = client
      self.options = options
      keys = ClusterKeys(prefix: url.prefix)
      if isAway, let near = try? NearStoreOrigin(url).identifier {
        identifier = near
        isVerified = Atomic(false)
        return
      }
      do throws(StoreError) {
        identifier = try await Self.identifier(client, keys, url, options)
        isVerified = Atomic(true)
      } catch {
        // The node that has the identifier is away.
        guard let cause = error.cause as? RESPClientError, cause.isTransient,
          let near = try? NearStoreOrigin(url).identifier
        else { throw error }
        identifier = near
        isVerified = Atomic(false)
      }
      if url.eviction == .refuse { try await Self.refuseEviction(client) }
    }

    deinit {
      let client = client
      Task(executorPreference: ClusterThreads.shared) { await client.close() }
    }

    /// Opens the near store.
    ///
    /// - Parameter directory: the directory of the near store, which is created if it is missing
    /// - Throws: `incompatible` if the directory holds another store
    package func openNear(
      at directory: String, _ options: FeedDatabase.Options = FeedDatabase.Options()
    ) throws(StoreError) -> FeedDatabase {
      let near = try FeedDatabase.open(at: directory, options: options, copyOf: identifier, self)
      NearStoreOrigin(url).write(to: near.directory)
      return near
    }

    // MARK: The store's identifier

    /// Must be called before a change: requires that the cluster has the store which the near store
    /// copies.
    ///
    /// - Throws: `incompatible` for another store; as ``connect(to:_:)``
    func verify() async throws(StoreError) {
      if isVerified.load(ordering: .acquiring) { return }
      guard try await Self.identifier(client, keys, url, options) == identifier else {
        throw StoreError(
          .incompatible,
          "the near store is a copy of another store than the one with the prefix"
            + " \(keys.prefix); give another directory with near=")
      }
      if url.eviction == .refuse { try await Self.refuseEviction(client) }
      isVerified.store(true, ordering: .releasing)
    }

    private static let magic = Array("FCCL".utf8)
    private static let version: UInt32 = 1

    private static func identifier(
      _ client: any ClusterClient, _ keys: ClusterKeys, _ url: ClusterURL, _ options: Options
    ) async throws(StoreError) -> UInt64 {
      let get = RESPCommand("GET", keys.store, access: .readPrimary)
      var reply: RESPReply
      let writes = RESPWrites()
      do throws(RESPClientError) {
        reply = try await client.send(get)
      } catch {
        throw StoreError(error)
      }
      // If the cluster has lost the store, it is created with the identifier of the near store, so
      // that the near stores of all hosts stay valid.
      let mayCreate = options.createsMissing || options.restoresLost
      let lost = reply.isNull && mayCreate ? try NearStoreOrigin(url).identifier : nil
      if reply.isNull, options.createsMissing || lost != nil {
        try await requireReplicas(client, url)
        let new = lost ?? .random(in: 1 ... .max)
        let set = RESPCommand("SET", keys.store, .bytes(encoded(new)), "NX")
        do throws(RESPClientError) {
          _ = try await client.send(set, recording: writes)
          reply = try await client.send(get)
        } catch {
          throw StoreError(error)
        }
      }
      guard !reply.isNull else {
        throw StoreError(
          .notFound, "there is no store with the prefix \(keys.prefix); ingest something first")
      }
      // Blocks are unreadable without the identifier.
      if !writes.isEmpty, url.wait > 0,
        await !client.barrier(writes, replicas: url.wait, timeout: .seconds(2)).isConfirmed
      {
        throw StoreError(.busy, "the new store is not yet on a second node; try again")
      }
      guard let identifier = decoded(reply) else {
        throw StoreError(
          .damaged, "the key \(keys.prefix):{store} has another content; use another prefix")
      }
      return identifier
    }

    private static func encoded(_ identifier: UInt64) -> [UInt8] {
      let number = (0..<4).map { UInt8(truncatingIfNeeded: version >> (8 * UInt32($0))) }
      return magic + number + (0..<8).map { UInt8(truncatingIfNeeded: identifier >> (8 * $0)) }
    }

    private static func decoded(_ reply: RESPReply) -> UInt64? {
      reply.withBytes { bytes in
        let all = bytes.withUnsafeBytes { Array($0) }
        guard all.count == 16, all.starts(with: magic), encoded(0)[4..<8] == all[4..<8] else {
          return nil
        }
        return all[8...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      } ?? nil
    }

    // MARK: What the nodes may do

    /// Refuses nodes that may evict published blocks when their memory is full.
    private static func refuseEviction(_ client: any ClusterClient) async throws(StoreError) {
      for node in client.nodes where node.isPrimary {
        // A node that does not reply must not prevent readers from using their near stores.
        let information = try? await memoryInformation(of: node.node, client)
        guard let policy = information?["maxmemory_policy"] else { continue }
        guard !policy.hasPrefix("allkeys-") else {
          throw StoreError(
            .misuse,
            "\(node.node) has the policy \(policy), so it may evict blocks of feeds; set"
              + " maxmemory-policy to noeviction or volatile-lfu, or allow it with eviction=unsafe")
        }
      }
    }

    /// Requires that every primary has as many replicas as a barrier asks for.
    func requireReplicas() async throws(StoreError) {
      try await Self.requireReplicas(client, url)
    }

    private static func requireReplicas(
      _ client: any ClusterClient, _ url: ClusterURL
    ) async throws(StoreError) {
      func primaryWithoutReplicas() -> RESPNodeDescription? {
        client.nodes.first { $0.isPrimary && $0.replicas < url.wait && $0.slots > 0 }
      }
      guard url.isCluster, url.wait > 0, primaryWithoutReplicas() != nil else { return }
      // A replica is listed only after it has replicated data.
      try? await client.refresh()
      guard let node = primaryWithoutReplicas() else { return }
      throw StoreError(
        .busy,
        "the primary \(node.node) has \(node.replicas) replicas, and a change waits for"
          + " \(url.wait); add a replica, or give wait=\(node.replicas) in the URL")
    }

    // MARK: Barriers

    /// Whether replicas have the writes. If a barrier is confirmed by too few replicas, it is
    /// repeated, since the writes are not lost.
    func isConfirmed(
      _ writes: RESPWrites, until deadline: ContinuousClock.Instant
    ) async -> Bool {
      guard url.wait > 0 else { return true }
      while true {
        let barrier = await client.barrier(writes, replicas: url.wait, timeout: .seconds(2))
        if barrier.isConfirmed { return true }
        if barrier.mayHaveLostWrites || ContinuousClock.now >= deadline { return false }
      }
    }
  }

  extension StoreError {
    /// The error of a client, with its node and slot in the message.
    init(_ error: RESPClientError) {
      let code: StoreError.Code =
        switch error.cause {
        case .outOfMemory: .diskFull
        case .notPermitted: .permission
        case .cancelled: .cancelled
        case .invalidReply: .damaged
        default: .unreachable
        }
      self.init(code, "\(error)", cause: error)
    }
  }
#endif
