#if Cluster
  import ArgumentParser
  import FeedCluster
  import FeedCore
  import FeedStorage

  /// `feedcore store follow`
  struct StoreFollowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "follow", abstract: "Keep the near store of a cluster up to date.",
      discussion: """
        Copies each feed that another host publishes. It runs until it is interrupted. Other \
        processes of the host read the near store as any other store, without the network.

        EXAMPLES:
          feedcore store follow --store redis-cluster://127.0.0.1:7000
          feedcore store follow --store redis://127.0.0.1:7009 --feeds news
        """)

    @OptionGroup var store: StoreOptions

    @Option(help: ArgumentHelp("The feeds to follow; by default all.", valueName: "name,…"))
    var feeds: String?

    func validate() throws {
      guard store.isShared else {
        throw ValidationError(
          "--store: give the URL of a cluster; a directory has nothing to follow")
      }
    }

    func run() throws {
      var options = ClusterFollower.Options()
      if let feeds {
        options.feeds = Set(
          try feeds.split(separator: ",").map { try FeedName(argument: String($0)) })
      }
      let shared = try store.shared()
      let database = try store.openNear(of: shared)
      StandardStreams.complain("following \(store.location ?? "") in \(database.directory)")
      let follower = ClusterFollower(shared, database, options) { event in
        StandardStreams.complain(event.line)
      }
      Interruption.install()
      _ = AwaitedWork.result { await follower.run() }
    }
  }

  extension ClusterFollower.Event {
    /// What happened, for a person.
    var line: String {
      let name = feed?.text ?? "the cluster"
      return switch outcome {
      case .success(.changed): "\(name): copied"
      case .success(.deleted): "\(name): deleted"
      case .success(.lost): "\(name): the cluster has no row; the copy is kept"
      case .success(.busy): "\(name): another process of this host changes it"
      case .success(.unchanged): "\(name): unchanged"
      case .failure(let error): "\(name): \(error)"
      }
    }
  }
#endif
