#if Cluster
  import FeedStorage
  import RESPClient

  /// The right to change a feed while its token is renewed.
  ///
  /// It prevents two processes from doing the same work. Correctness does not depend on it: the
  /// script that publishes compares the row and the entry of the segment.
  final class FeedOwnership: Sendable {
    /// The time after which the token of a killed process expires.
    private static let lifetime = Duration.seconds(30)

    let token: String
    private let store: SharedStore
    private let name: FeedName
    private let renewal: Task<Void, Never>

    /// - Returns: nil while another process owns the feed
    static func take(
      _ name: FeedName, of store: SharedStore
    ) async throws(StoreError) -> FeedOwnership? {
      let token = String(UInt64.random(in: .min ... .max), radix: 16)
      let set = RESPCommand(
        "SET", store.keys.owner(name), .text(token), "NX", "PX", .integer(lifetime.milliseconds))
      let ownership = FeedOwnership(token, store, name)
      do throws(StoreError) {
        if try await store.settle([set])[0].isOK { return ownership }
      } catch {
        // An attempt without a reply may have taken the token.
        await ownership.end()
        throw error
      }
      // If the reply to an earlier attempt was lost, this process has the token.
      return await ownership.isHeld() ? ownership : nil
    }

    private init(_ token: String, _ store: SharedStore, _ name: FeedName) {
      (self.token, self.store, self.name) = (token, store, name)
      let command = Self.command(token, store, name, milliseconds: Self.lifetime.milliseconds)
      let client = store.client
      renewal = Task(executorPreference: ClusterThreads.shared) {
        while (try? await Task.sleep(for: Self.lifetime / 3)) != nil {
          _ = try? await client.send(command)
        }
      }
    }

    deinit { renewal.cancel() }

    /// Whether the token still exists, so that no other process has owned the feed since `take`.
    func isHeld() async -> Bool {
      let command = Self.command(token, store, name, milliseconds: Self.lifetime.milliseconds)
      return (try? await store.client.send(command))?.integer == 1
    }

    /// Lets another process begin.
    func end() async {
      renewal.cancel()
      let (client, command) = (store.client, Self.command(token, store, name, milliseconds: 0))
      // A cancelled task would not wait for the reply.
      await Task(executorPreference: ClusterThreads.shared) {
        _ = try? await client.send(command)
      }.value
    }

    private static func command(
      _ token: String, _ store: SharedStore, _ name: FeedName, milliseconds: Int
    ) -> RESPCommand {
      var command = RESPCommand("EVAL", argumentCount: 5, isRepeatable: true)
      command.append(.text(ClusterScripts.own))
      command.append(1)
      command.append(store.keys.owner(name))
      command.append(.text(token))
      command.append(.integer(milliseconds))
      return command
    }
  }
#endif
