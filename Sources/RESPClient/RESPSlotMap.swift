#if Cluster
  /// The nodes of all slots.
  struct RESPSlotMap: Sendable {
    /// A primary and its replicas.
    struct Shard: Hashable, Sendable {
      var primary: RESPNode
      var replicas: [RESPNode]
    }

    private(set) var shards: [Shard] = []
    /// The index of the shard of each slot; -1 without one.
    private var indexes = [Int32](repeating: -1, count: RESPSlot.count)

    init() {}

    /// The map of a single node, which has all slots.
    init(single node: RESPNode) {
      shards = [Shard(primary: node, replicas: [])]
      indexes = [Int32](repeating: 0, count: RESPSlot.count)
    }

    /// Parses the reply to `CLUSTER SLOTS`; nil if the reply is malformed or has no slots.
    ///
    /// - Parameter sender: the node that replied, whose host an empty host means
    init?(_ reply: RESPReply, from sender: RESPNode) {
      guard let ranges = reply.elements, !ranges.isEmpty else { return nil }
      var known: [Shard: Int32] = [:]
      for range in ranges {
        guard let parts = range.elements, parts.count >= 3,
          let first = parts[0].integer.flatMap({ RESPSlot($0) }),
          let last = parts[1].integer.flatMap({ RESPSlot($0) }), first.number <= last.number
        else { return nil }
        var nodes: [RESPNode] = []
        for part in parts.dropFirst(2) {
          guard let node = Self.node(part, sender) else { return nil }
          nodes.append(node)
        }
        let shard = Shard(primary: nodes[0], replicas: Array(nodes.dropFirst()))
        let index = known[shard] ?? Int32(shards.count)
        if known.updateValue(index, forKey: shard) == nil { shards.append(shard) }
        for slot in first.number...last.number { indexes[slot] = index }
      }
    }

    func shard(of slot: RESPSlot) -> Shard? {
      let index = Int(indexes[slot.number])
      return index < 0 ? nil : shards[index]
    }

    /// Sets the primary of one slot, as a redirection names it.
    mutating func move(_ slot: RESPSlot, to node: RESPNode) {
      if let index = shards.firstIndex(where: { $0.primary == node }) {
        indexes[slot.number] = Int32(index)
      } else {
        indexes[slot.number] = Int32(shards.count)
        shards.append(Shard(primary: node, replicas: []))
      }
    }

    /// All nodes, each once.
    var nodes: [RESPNodeDescription] {
      var counts = [Int](repeating: 0, count: shards.count)
      for index in indexes where index >= 0 { counts[Int(index)] += 1 }
      var nodes: [RESPNode: RESPNodeDescription] = [:]
      for (shard, count) in zip(shards, counts) where count > 0 {
        // A shard appears twice when its ranges list the replicas in another order.
        let slots = count + (nodes[shard.primary]?.slots ?? 0)
        nodes[shard.primary] = RESPNodeDescription(
          node: shard.primary, isPrimary: true, slots: slots, replicas: shard.replicas.count)
        for replica in shard.replicas {
          nodes[replica] = RESPNodeDescription(
            node: replica, isPrimary: false, slots: slots, replicas: 0)
        }
      }
      return nodes.values.sorted { ($0.node.host, $0.node.port) < ($1.node.host, $1.node.port) }
    }

    private static func node(_ reply: RESPReply, _ sender: RESPNode) -> RESPNode? {
      guard let parts = reply.elements, parts.count >= 2, let port = parts[1].integer,
        (1...65_535).contains(port)
      else { return nil }
      let host = parts[0].text ?? ""
      return RESPNode(host: host.isEmpty || host == "?" ? sender.host : host, port: port)
    }
  }

  /// Where an error reply sends a command.
  enum RESPRedirection: Hashable, Sendable {
    case moved(RESPSlot, RESPNode)
    case ask(RESPNode)

    /// Nil for any other error.
    init?(_ error: RESPServerError, from sender: RESPNode?) {
      guard error.code == "MOVED" || error.code == "ASK" else { return nil }
      let words = error.message.split(separator: " ")
      guard words.count >= 2, let slot = Int(words[0]).flatMap({ RESPSlot($0) }),
        let node = RESPNode(words[1], fallback: sender?.host)
      else { return nil }
      self = error.code == "ASK" ? .ask(node) : .moved(slot, node)
    }
  }
#endif
