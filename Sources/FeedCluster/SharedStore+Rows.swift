#if Cluster
  package import FeedStorage
  import RESPClient

  extension SharedStore {
    /// The row of a feed; nil if the cluster has none. Reads from the primary.
    func row(of name: FeedName) async throws(StoreError) -> SharedRow? {
      try decoded(try await storedRow(of: name), name)
    }

    /// The row of a feed as it is stored; null if the cluster has none.
    func storedRow(of name: FeedName) async throws(StoreError) -> RESPReply {
      do throws(RESPClientError) {
        return try await client.send(
          RESPCommand("GET", keys.row(name), access: .readPrimary))
      } catch {
        throw StoreError(error)
      }
    }

    func decoded(_ reply: RESPReply, _ name: FeedName) throws(StoreError) -> SharedRow? {
      let damaged = StoreError(
        .damaged, "the row of the feed \(name) is damaged in the cluster; ingest the feed again")
      let row: SharedRow?
      do throws(StoreError) {
        row = try reply.withBytes { bytes throws(StoreError) in
          try SharedRow(bytes, ofStore: identifier)
        }
      } catch  where error.code == .damaged {
        throw damaged
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

    /// The names of all feeds, also of deleted ones for some time, in order.
    func names() async throws(StoreError) -> [FeedName] {
      let command = RESPCommand("SMEMBERS", keys.names, access: .readPrimary)
      do throws(RESPClientError) {
        let elements = try await client.send(command).elements ?? []
        return elements.compactMap { $0.text }.sorted().compactMap { try? FeedName($0) }
      } catch {
        throw StoreError(error)
      }
    }

    /// The rows of feeds; nil where there is none that can be read.
    func readableRows(of names: [FeedName]) async -> [SharedRow?] {
      let results = await client.send(
        names.map { RESPCommand("GET", keys.row($0), access: .readPrimary) })
      return zip(names, results).map { name, result in try? decoded(result, name) }
    }

    /// The rows of all feeds.
    func rows() async throws(StoreError) -> [SharedRow] {
      let names = try await names()
      let results = await client.send(
        names.map { RESPCommand("GET", keys.row($0), access: .readPrimary) })
      var rows: [SharedRow] = []
      for (name, result) in zip(names, results) {
        if let row = try decoded(result, name), !row.isDeleted { rows.append(row) }
      }
      return rows
    }

    /// The descriptions of all feeds in the cluster, without their schemas.
    package func feeds() throws(StoreError) -> [FeedDescription] {
      try ClusterThreads.shared.run { () async throws(StoreError) in try await self.rows() }
        .map(\.description)
    }
  }
#endif
