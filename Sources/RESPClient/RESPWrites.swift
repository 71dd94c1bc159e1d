#if Cluster
  import Synchronization

  /// The connections that took writes since the last barrier: one object for each series of writes.
  ///
  /// `WAIT` confirms only the writes of its own connection. On another connection, or on a node
  /// that was not written to, it would confirm nothing and still succeed.
  package final class RESPWrites: Sendable {
    /// A connection, and how often its node had been seen as a replica when the first write was
    /// sent. A node that becomes a replica and then a primary again between two slot maps is not
    /// detected.
    struct Entry {
      let connection: RESPConnection
      let demotions: Int

      /// Whether the node has been a replica since.
      var isDemoted: Bool { connection.demotions != demotions }
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    package init() {}

    /// Whether there is nothing to confirm.
    package var isEmpty: Bool { entries.withLock { $0.isEmpty } }

    func add(_ entry: Entry) {
      entries.withLock { entries in
        let identifier = ObjectIdentifier(entry.connection)
        if let earlier = entries[identifier], earlier.demotions <= entry.demotions { return }
        entries[identifier] = entry
      }
    }

    /// Removes all entries; a barrier adds those again that it could not confirm.
    func take() -> [Entry] {
      entries.withLock { entries in
        defer { entries = [:] }
        return Array(entries.values)
      }
    }
  }
#endif
