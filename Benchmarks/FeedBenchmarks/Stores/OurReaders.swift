import CPeers
import FeedCore

// Apart from the peers': GRDB has a `RecordError` too.

extension Contestant where Arena == LookupArena {
  /// Each look-up in a snapshot of its own.
  static var bytes: Contestant {
    Contestant("FeedCore") { arena in
      var copy = [UInt8](repeating: 0, count: 1 << 16)
      var (records, sum) = (0, UInt64(0))
      let feed = try arena.ours.current()
      try arena.keys.forEachKey { key in
        try feed.forEachRecord(withKeyBytes: key) { record, _ in
          copy.withUnsafeMutableBytes { copy in
            record.bytes.withUnsafeBytes { copy.copyMemory(from: $0) }
          }
          records += 1
          sum += UInt64(record.bytes.byteCount)
        }
      }
      return Proof(records: records, sum: sum)
    }
  }

  static var models: Contestant {
    Contestant("FeedCore") { arena in
      var found: [University] = []
      found.reserveCapacity(arena.names.count)
      let feed = try arena.ours.current()
      try arena.keys.forEachKey { key in
        try feed.forEachRecord(withKeyBytes: key) { record, _ in
          found.append(try University(record))
        }
      }
      return found.proof
    }
  }
}

extension Contestant where Arena == ScanArena {
  /// The sum of the names' bytes, where they lie in the records.
  static var keys: Contestant {
    Contestant("FeedCore") { arena in
      var sum: UInt64 = 0
      let feed = try arena.ours.current()
      guard let name = feed.description.layout.location(of: feed.description.keyField) else {
        throw ContestError("the feed has no key")
      }
      try feed.forEachRecord { record, _ in
        guard let text = try record.rawText(name) else { return }
        sum &+= text.withUnsafeBytes { feedpeer_sum($0.baseAddress, $0.count) }
      }
      return Proof(sum: sum)
    }
  }

  /// The sum of all bytes of the records, where they lie.
  static var bytes: Contestant {
    Contestant("FeedCore") { arena in
      var sum: UInt64 = 0
      try arena.ours.current().forEachRecord { record, _ in
        sum &+= record.bytes.withUnsafeBytes { feedpeer_sum($0.baseAddress, $0.count) }
      }
      return Proof(sum: sum)
    }
  }

  /// One model at a time; none is kept.
  static var models: Contestant {
    Contestant("FeedCore") { arena in
      var (records, sum) = (0, UInt64(0))
      try arena.ours.current().forEach(University.self) { university in
        records += 1
        sum += UInt64(university.textBytes)
      }
      return Proof(records: records, sum: sum)
    }
  }
}
