import FeedCore
import Foundation
import GRDB

/// Looks up records that were read before, by key and in random order.
enum LookupContests {
  static func register() {
    let (records, lookups, rounds) = Suite.sized(
      ci: (2_000, 1_000, 3), full: (200_000, 20_000, 9))
    for (name, content, ours, peers) in [
      (
        "universities, bytes copied out", .bytes, .bytes, [.lmdbBytes, .grdbBytes, .fileBytes]
      ),
      ("universities, as models", .models, .models, [.grdbModels, .fileModels]),
    ] as [(String, LookupArena.Content, Contestant<LookupArena>, [Contestant<LookupArena>])] {
      Contest<LookupArena>(
        group: .lookUp, name: name, rounds: rounds, ours: [ours], peers: peers,
        makeArena: { try LookupArena(content, records: records, lookups: lookups) },
        yardstick: { .time(of: $0.names.count) },
        expectation: { Proof(records: $0.names.count) }
      ).register()
    }
  }
}

// MARK: Bytes

extension Contestant where Arena == LookupArena {
  /// `mdb_txn_renew`, `mdb_get`, `memcpy`, `mdb_txn_reset`.
  fileprivate static var lmdbBytes: Contestant {
    Contestant("C LMDB") { arena in
      Proof(sum: try arena.lmdb.map { UInt64(try $0.lookUp(arena.keys)) })
    }
  }

  /// One prepared `SELECT` by primary key, for all look-ups in one read access, so one snapshot.
  fileprivate static var grdbBytes: Contestant {
    Contestant("GRDB") { arena in
      try arena.sqlite.queue.read { database in
        let statement = try database.makeStatement(sql: "SELECT record FROM flat WHERE name = ?")
        var (records, sum) = (0, UInt64(0))
        for name in arena.names {
          guard let data = try Data.fetchOne(statement, arguments: [name]) else { continue }
          records += 1
          sum += UInt64(data.count)
        }
        return Proof(records: records, sum: sum)
      }
    }
  }

  /// Reads one file a record.
  fileprivate static var fileBytes: Contestant {
    Contestant("plain files") { arena in
      var sum: UInt64 = 0
      for file in arena.files {
        sum += UInt64(try Data(contentsOf: Self.url(file)).count)
      }
      return Proof(records: arena.files.count, sum: sum)
    }
  }
}

// MARK: Models

extension Contestant where Arena == LookupArena {
  /// One prepared `SELECT` of all columns by primary key, with all look-ups in one read access.
  fileprivate static var grdbModels: Contestant {
    Contestant("GRDB") { arena in
      try arena.sqlite.queue.read { database in
        let statement = try database.makeStatement(
          sql: UniversityRow.select + " WHERE name = ?")
        var found: [University] = []
        found.reserveCapacity(arena.names.count)
        for name in arena.names {
          let row = try UniversityRow.fetchOne(statement, arguments: [name])
          if let row { found.append(row.university) }
        }
        return found.proof
      }
    }
  }

  /// Reads and decodes one JSON file a record.
  fileprivate static var fileModels: Contestant {
    Contestant("plain files and JSONDecoder") { arena in
      let decoder = JSONDecoder()
      let found = try arena.files.map { file in
        try decoder.decode(University.self, from: try Data(contentsOf: Self.url(file)))
      }
      return found.proof
    }
  }

  /// A URL with a directory hint, so that Foundation does not look in the file system.
  private static func url(_ file: String) -> URL {
    URL(filePath: file, directoryHint: .notDirectory)
  }
}
