import CPeers
import FeedCore

// In a file without the peers, because GRDB has a `RecordError` too.

extension Contestant where Arena == LookupArena {
  /// Each look-up in its own snapshot.
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
  /// Sums the bytes of the names in place, without a copy.
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

  /// Sums all bytes of the records in place, without a copy.
  static var bytes: Contestant {
    Contestant("FeedCore") { arena in
      var sum: UInt64 = 0
      try arena.ours.current().forEachRecord { record, _ in
        sum &+= record.bytes.withUnsafeBytes { feedpeer_sum($0.baseAddress, $0.count) }
      }
      return Proof(sum: sum)
    }
  }

  /// Makes one model at a time and keeps none.
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
