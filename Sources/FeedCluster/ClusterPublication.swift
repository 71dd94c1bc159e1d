#if Cluster
  import FeedStorage
  import RESPClient

  /// The replacement of a feed's row, which makes a change visible.
  ///
  /// A reply alone confirms nothing, because a primary that was replaced can still reply. The
  /// change is complete when replicas have confirmed it.
  struct ClusterPublication: Sendable {
    private enum Outcome: Int {
      case published = 1
      case isThere = 2
      case conflict = 3
      case isAbandoned = 4
    }

    private let store: SharedStore
    private let row: SharedRow
    private let bytes: [UInt8]
    private let expected: [UInt8]
    private let entry: OldSegment?
    private let replaced: [OldSegment]

    /// - Parameter expected: the state of the feed that the row replaces; empty if there is none
    init(
      _ store: SharedStore, _ row: SharedRow, expected: [UInt8], entry: OldSegment?,
      replaced: [OldSegment]
    ) {
      self.store = store
      self.row = row
      self.expected = expected
      self.entry = entry
      self.replaced = replaced
      bytes = row.encoded()
    }

    /// Runs the script until replicas have its result.
    ///
    /// - Returns: false if the entry of the segment is gone, so the blocks must be sealed again
    /// - Throws: `conflict`; `busy` after the deadline, with a message that states whether the
    ///   change is visible; `unreachable`
    func run() async throws(StoreError) -> Bool {
      let deadline = ContinuousClock.now + store.options.publishTimeout
      var isVisible = false
      var last: StoreError?
      while true {
        let writes = RESPWrites()
        do throws(RESPClientError) {
          let reply = try await store.client.send(command, recording: writes)
          switch reply.integer.flatMap(Outcome.init(rawValue:)) {
          case .published, .isThere: isVisible = true
          case .conflict: throw RESPClientError(.server(Self.conflict))
          case .isAbandoned: return false
          case nil: throw RESPClientError(.invalidReply("the script has another result"))
          }
          if await store.isConfirmed(writes, until: deadline) { return true }
        } catch {
          if error.cause == .server(Self.conflict) { throw conflict }
          guard error.isTransient else { throw StoreError(error) }
          last = StoreError(error)
        }
        guard ContinuousClock.now < deadline else { throw last ?? unconfirmed(isVisible) }
        // The slots may have moved to another primary, which may lack the row.
        try? await store.client.refresh()
        try? await Task.sleep(for: .milliseconds(50))
      }
    }

    private static let conflict = RESPServerError("FEEDCORECONFLICT")

    private var command: RESPCommand {
      var command = RESPCommand(
        "EVAL", argumentCount: 8 + 2 * replaced.count, byteCount: bytes.count, isRepeatable: true)
      command.append(.text(ClusterScripts.publish))
      command.append(2)
      command.append(store.keys.row(row.name))
      command.append(store.keys.old(row.name))
      command.append(.bytes(bytes))
      command.append(.bytes(expected))
      command.append(.text(entry?.field ?? ""))
      command.append(.text(entry?.value ?? ""))
      for segment in replaced {
        command.append(.text(segment.field))
        command.append(.text(segment.value))
      }
      return command
    }

    private var conflict: StoreError {
      StoreError(
        .conflict,
        "the feed \(row.name) was changed by another writer meanwhile; nothing was"
          + " published; try again")
    }

    private func unconfirmed(_ isVisible: Bool) -> StoreError {
      StoreError(
        .busy,
        isVisible
          ? "the feed \(row.name) is published, but not yet on a second node; it is lost if its node"
            + " fails now; run the command again when the replicas are well"
          : "nothing of the feed \(row.name) was published; try again when the cluster is well")
    }
  }
#endif
