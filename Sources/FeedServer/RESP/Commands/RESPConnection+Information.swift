#if Server
  import FeedStorage
  import Logging
  import NIOCore

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  // `INFO`, which clients use to identify the server.
  extension RESPConnection {
    private static var sections: [String] {
      ["server", "clients", "memory", "stats", "replication", "keyspace"]
    }

    /// `INFO`: the requested sections, or all.
    func answerInformation(_ request: borrowing RESPRequest) -> RESPOutcome {
      var wanted = Set((1..<request.count).map { request.text($0).lowercased() })
      if wanted.isEmpty || !wanted.isDisjoint(with: ["all", "default", "everything"]) {
        wanted = Set(Self.sections)
      }
      var keys = KeyCount()
      if wanted.contains("keyspace") {
        do throws(StoreError) {
          guard let counted = try countKeys() else { return .unfinished }
          keys = counted
        } catch {
          // The other sections help to find the reason.
          worker.context.logger.error(
            "the keys could not be counted", metadata: ["error": "\(error)"])
        }
      }
      let sections = Self.sections.filter(wanted.contains).map { section in
        let lines = information(section, keys).map { "\($0.0):\($0.1)\r\n" }.joined()
        return "# \(section.prefix(1).uppercased())\(section.dropFirst())\r\n" + lines
      }
      output.verbatim(sections.joined(separator: "\r\n"))
      return .answered
    }

    private func information(_ section: String, _ keys: KeyCount) -> [(String, String)] {
      let metrics = worker.context.metrics
      switch section {
      case "server":
        let seconds = (NIODeadline.now() - worker.began).nanoseconds / 1_000_000_000
        return [
          ("redis_version", Self.redisVersion), ("redis_mode", "standalone"),
          ("server_name", "feedcore"), ("process_id", String(getpid())),
          ("arch_bits", "64"), ("uptime_in_seconds", String(seconds)),
          ("uptime_in_days", String(seconds / 86_400)),
        ]
      case "clients":
        return [
          ("connected_clients", String(metrics.openConnections(.resp))),
          ("maxclients", String(worker.context.configuration.maximumConnections)),
          ("blocked_clients", "0"),
        ]
      case "memory":
        let clients = worker.heldBytes + worker.unreadBytes
        return [
          ("used_memory", String(worker.keyspace.answers.byteCount + clients)),
          ("used_memory_answers", String(worker.keyspace.answers.byteCount)),
          ("used_memory_clients", String(clients)),
          ("maxmemory", "0"), ("maxmemory_policy", "noeviction"),
        ]
      case "stats": return statistics
      case "replication":
        return [
          ("role", "master"), ("connected_slaves", "0"), ("master_repl_offset", "0"),
        ]
      default:
        guard keys.count > 0 else { return [] }
        return [
          (
            "db0",
            "keys=\(keys.count),expires=\(keys.expiring),avg_ttl=\(keys.averageMilliseconds)"
          )
        ]
      }
    }

    private var statistics: [(String, String)] {
      let metrics = worker.context.metrics
      let refused = Refusal.allCases.reduce(0) { $0 + metrics.refusals($1, of: .resp) }
      return [
        ("total_connections_received", String(metrics.acceptedConnections(.resp))),
        ("total_commands_processed", String(metrics.requestCount(.resp))),
        ("total_net_input_bytes", String(metrics.receivedBytes(.resp))),
        ("total_net_output_bytes", String(metrics.sentBytes(.resp))),
        (
          "rejected_connections",
          String(metrics.refusals(.connectionLimit, of: .resp))
        ),
        ("total_refusals", String(refused)),
        ("keyspace_hits", String(metrics.lookupCounts.hits)),
        ("keyspace_misses", String(metrics.lookupCounts.misses)),
      ]
    }
  }
#endif
