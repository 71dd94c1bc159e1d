import CPeers
import FeedCore
import Foundation
import GRDB

/// Reads all records once.
enum ScanContests {
  static func register() {
    let (records, rounds) = Suite.sized(ci: (5_000, 3), full: (200_000, 7))
    for (name, ours, peers) in [
      ("universities, their keys", Contestant.keys, [.lmdbKeys]),
      ("universities, every byte", .bytes, [.lmdbBytes]),
      ("universities, as models", .models, [.grdbModels, .fileModels]),
    ] as [(String, Contestant<ScanArena>, [Contestant<ScanArena>])] {
      Contest<ScanArena>(
        group: .scan, name: name, rounds: rounds, ours: [ours], peers: peers,
        makeArena: { try ScanArena(records: records) },
        yardstick: { .rate(records: $0.records) }
      ).register()
    }
  }
}

// MARK: Bytes

extension Contestant where Arena == ScanArena {
  /// `mdb_cursor_get` with `MDB_NEXT`.
  fileprivate static var lmdbKeys: Contestant {
    Contestant("C LMDB") { arena in
      let store = try arena.lmdb
      return Attempt(run: { Proof(sum: try store.sum(ofValues: false)) })
    }
  }

  /// The same bytes, each record under its key.
  fileprivate static var lmdbBytes: Contestant {
    Contestant("C LMDB") { arena in
      let store = try arena.lmdb
      return Attempt(run: { Proof(sum: try store.sum(ofValues: true)) })
    }
  }
}

// MARK: Models

extension Contestant where Arena == ScanArena {
  /// A cursor that makes one model at a time and keeps none.
  fileprivate static var grdbModels: Contestant {
    Contestant("GRDB") { arena in
      let queue = try arena.sqlite.queue
      return Attempt(run: {
        try queue.read { database in
          var (records, sum) = (0, UInt64(0))
          let rows = try UniversityRow.fetchCursor(database, sql: UniversityRow.select)
          while let row = try rows.next() {
            records += 1
            sum += UInt64(row.university.textBytes)
          }
          return Proof(records: records, sum: sum)
        }
      })
    }
  }

  /// Reads one JSON file and decodes it into an array.
  fileprivate static var fileModels: Contestant {
    Contestant("plain file and JSONDecoder") { arena in
      let data = try Data(contentsOf: URL(fileURLWithPath: arena.file))
      return try JSONDecoder().decode([University].self, from: data).proof
    }
  }
}
