#if Cluster
  package import FeedStorage
  import RESPClient
  import Synchronization

  /// Keeps a near store up to date, by invalidations and by regular reads of all rows.
  ///
  /// Each host has one follower. All other processes open the near store like any other store.
  package final class ClusterFollower: Sendable {
    package struct Options: Sendable {
      /// The feeds to follow. If nil, all feeds are followed; with a limit of the near store, only
      /// the feeds that it holds.
      package var feeds: Set<FeedName>?
      /// How often all rows are read. An invalidation can be lost with its connection.
      package var pollInterval = Duration.seconds(30)

      package init() {}
    }

    /// What happened to a feed.
    package struct Event: Sendable {
      /// Nil if the event concerns all feeds.
      package let feed: FeedName?
      package let outcome: Result<SharedStore.Update, StoreError>
    }

    private let shared: SharedStore
    private let database: FeedDatabase
    private let options: Options
    private let report: @Sendable (Event) -> Void
    /// The feeds that were reported as lost.
    private let lost = Mutex<Set<FeedName>>([])

    package init(
      _ shared: SharedStore, _ database: FeedDatabase, _ options: Options = Options(),
      report: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
      self.shared = shared
      self.database = database
      self.options = options
      self.report = report
    }

    /// Follows until the task is cancelled.
    package func run() async {
      await withTaskExecutorPreference(ClusterThreads.shared) {
        await withDiscardingTaskGroup { group in
          group.addTask { await self.poll() }
          // The first event states that everything may have changed.
          for await event in self.shared.client.invalidations(
            prefix: self.shared.keys.trackedPrefix)
          {
            switch event {
            case .everything: await self.updateAll()
            case .keys(let keys):
              for key in keys {
                if let name = self.shared.keys.feed(ofRow: key) {
                  await self.update(name, isLookedAt: false)
                }
              }
            }
          }
          group.cancelAll()
        }
      }
    }

    private func poll() async {
      while (try? await Task.sleep(for: options.pollInterval)) != nil {
        await updateAll()
        do throws(StoreError) {
          try await shared.removeIdleFeeds(from: database)
          // Copies that were removed earlier may no longer have readers.
          if shared.limitsCopies { try database.sweep() }
        } catch {
          report(Event(feed: nil, outcome: .failure(error)))
        }
      }
    }

    private func updateAll() async {
      do throws(StoreError) {
        let names = try await shared.limitsCopies ? shared.look() : shared.names()
        // Following a named feed counts as a request for it.
        for name in options.feeds ?? [] { database.noteRequest(of: name) }
        // Near feeds that are no longer in the set of names are updated, too.
        let near = try database.feedNames()
        for name in Set(names).union(near).sorted(by: { $0.text < $1.text }) {
          if Task.isCancelled { return }
          await update(name, isLookedAt: true)
        }
      } catch {
        report(Event(feed: nil, outcome: .failure(error)))
      }
    }

    /// Whether to keep a copy of a feed. With a limit, the first request for a feed copies it.
    private func follows(_ name: FeedName) throws(StoreError) -> Bool {
      if let feeds = options.feeds, feeds.contains(name) { return true }
      guard shared.limitsCopies else { return options.feeds == nil }
      return try database.feedDescription(named: name) != nil
    }

    /// - Parameter isLookedAt: whether `look` has just determined if the cluster has the feed. It
    ///   counts only with a limit of the near store.
    private func update(_ name: FeedName, isLookedAt: Bool) async {
      do throws(StoreError) {
        guard try follows(name) else {
          if shared.limitsCopies, !isLookedAt { try await shared.look(at: name) }
          return
        }
        let isNamed = options.feeds?.contains(name) ?? false
        let update = try await shared.update(
          name, in: database, isNear: shared.limitsCopies && !isNamed)
        let isNews = lost.withLock { lost in
          guard update == .lost else {
            lost.remove(name)
            return update != .unchanged
          }
          return lost.insert(name).inserted
        }
        if isNews { report(Event(feed: name, outcome: .success(update))) }
      } catch {
        // The end of following is no failure.
        if !Task.isCancelled { report(Event(feed: name, outcome: .failure(error))) }
      }
    }
  }
#endif
