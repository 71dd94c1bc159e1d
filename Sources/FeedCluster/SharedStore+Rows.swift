#if Cluster
  package import FeedStorage
  import RESPClient

  extension SharedStore {
    /// The row of a feed; nil if the cluster has none. Reads from the primary.
    func row(of name: FeedName) async throws(StoreError) -> SharedRow? {
      let reply: RESPReply
      do throws(RESPClientError) {
        reply = try await client.send(rowCommand(of: name))
      } catch {
        throw StoreError(error)
      }
      return try decoded(reply, name)
    }

    func rowCommand(of name: FeedName) -> RESPCommand {
      RESPCommand("GET", keys.row(name), access: .readPrimary)
    }

    func decoded(_ reply: RESPReply, _ name: FeedName) throws(StoreError) -> SharedRow? {
      let damaged = StoreError(
        .damaged,
        "the row of the feed \(name) is damaged in the cluster; run store repair, or ingest again")
      let row: SharedRow?
      do throws(StoreError) {
        row = try reply.withBytes { bytes throws(StoreError) in
          try SharedRow(bytes, ofStore: identifier)
        }
      } catch {
        guard error.code != .damaged else { throw damaged }
        throw StoreError(error.code, "the feed \(name) in the cluster: \(error.message)")
      }
      guard row?.name == name || row == nil else { throw damaged }
      return row
    }

    private func decoded(
      _ result: Result<RESPReply, RESPClientError>, _ name: FeedName
    ) throws(StoreError) -> SharedRow? {
      let reply: RESPReply
      do throws(RESPClientError) { reply = try result.get() } catch { throw StoreError(error) }
      return try decoded(reply, name)
    }

    /// The sorted names of all feeds, also of deleted ones.
    func names() async throws(StoreError) -> [FeedName] {
      let command = RESPCommand("SMEMBERS", keys.names, access: .readPrimary)
      do throws(RESPClientError) {
        let elements = try await client.send(command).elements ?? []
        return elements.compactMap { $0.text }.sorted().compactMap { try? FeedName($0) }
      } catch {
        throw StoreError(error)
      }
    }

    /// Adds a name to the set of names.
    func registration(of name: FeedName) -> [RESPCommand] {
      [
        RESPCommand("SADD", keys.names, .text(name.text), isRepeatable: true),
        // The name may already be in the set, and a barrier needs a write.
        RESPCommand("APPEND", keys.namesBarrier, "", isRepeatable: true),
      ]
    }

    /// The rows of feeds, or why one cannot be read.
    func rows(of names: [FeedName]) async -> [Result<SharedRow?, StoreError>] {
      let results = await client.send(names.map(rowCommand))
      return zip(names, results).map { name, result in
        do throws(StoreError) {
          return .success(try decoded(result, name))
        } catch {
          return .failure(error)
        }
      }
    }

    /// The rows of all feeds that can be read, and why others cannot.
    func rows() async throws(StoreError) -> (rows: [SharedRow], failures: [StoreError]) {
      var rows: [SharedRow] = []
      var failures: [StoreError] = []
      for result in await self.rows(of: try await names()) {
        switch result {
        case .success(let row?) where !row.isDeleted: rows.append(row)
        case .success: break
        case .failure(let error): failures.append(error)
        }
      }
      return (rows, failures)
    }

    /// The feeds in the cluster.
    ///
    /// - Throws: the error of the node that has the names of the feeds
    package func feeds() throws(StoreError) -> SharedFeeds {
      let (rows, failures) = try ClusterThreads.shared.run { () async throws(StoreError) in
        try await self.rows()
      }
      return SharedFeeds(descriptions: rows.map(\.description), failures: failures)
    }
  }

  /// The feeds of a shared store.
  package struct SharedFeeds: Sendable {
    /// Those whose row can be read, without their schemas.
    package let descriptions: [FeedDescription]
    /// Why the rows of the others cannot be read.
    package let failures: [StoreError]
  }
#endif
