#if Cluster
  package import FeedStorage
  import RESPClient

  /// Keeps a near store up to date: by invalidations, and by a look at all rows from time to time.
  ///
  /// There is one follower for each host. All other processes open the near store as any other store.
  package final class ClusterFollower: Sendable {
    package struct Options: Sendable {
      /// The feeds to follow; nil for all, or for those that are near if the near store has a limit.
      package var feeds: Set<FeedName>?
      /// How often to look at all rows. An invalidation can be lost with its connection.
      package var pollInterval = Duration.seconds(30)

      package init() {}
    }

    /// What happened to a feed.
    package struct Event: Sendable {
      /// Nil for a look at all feeds.
      package let feed: FeedName?
      package let outcome: Result<SharedStore.Update, StoreError>
    }

    private let shared: SharedStore
    private let database: FeedDatabase
    private let options: Options
    private let report: @Sendable (Event) -> Void

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
          // The first event is that everything may have changed.
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
          // What was removed earlier may not be read any more.
          if shared.limitsCopies { try database.sweep() }
        } catch {
          report(Event(feed: nil, outcome: .failure(error)))
        }
      }
    }

    private func updateAll() async {
      do throws(StoreError) {
        let names = try await shared.limitsCopies ? shared.look() : shared.names()
        // This counts as a request.
        for name in options.feeds ?? [] { database.noteRequest(of: name) }
        // Feeds that are near and have no name any more are looked at too.
        let near = try database.feedNames()
        for name in Set(names).union(near).sorted(by: { $0.text < $1.text }) {
          if Task.isCancelled { return }
          await update(name, isLookedAt: true)
        }
      } catch {
        report(Event(feed: nil, outcome: .failure(error)))
      }
    }

    /// Whether to keep a feed near. With a limit, a feed comes with its first request.
    private func follows(_ name: FeedName) throws(StoreError) -> Bool {
      if let feeds = options.feeds, feeds.contains(name) { return true }
      guard shared.limitsCopies else { return options.feeds == nil }
      return try database.feedDescription(named: name) != nil
    }

    /// - Parameter isLookedAt: whether it is known if the cluster has the feed.
    private func update(_ name: FeedName, isLookedAt: Bool) async {
      do throws(StoreError) {
        guard try follows(name) else {
          if shared.limitsCopies, !isLookedAt { try await shared.look(at: name) }
          return
        }
        let isNamed = options.feeds?.contains(name) ?? false
        let update = try await shared.update(
          name, in: database, isNear: shared.limitsCopies && !isNamed)
        if update != .unchanged { report(Event(feed: name, outcome: .success(update))) }
      } catch {
        report(Event(feed: name, outcome: .failure(error)))
      }
    }
  }
#endif
