import FeedCore
import Foundation
import GRDB

/// Stores a file durably. Each attempt begins with an empty store.
enum IngestContest {
  static func register() {
    let (records, rounds) = Suite.sized(ci: (5_000, 3), full: (200_000, 5))
    Contest<IngestArena>(
      group: .ingest, name: "universities, durable", rounds: rounds, ours: [.feedCore],
      peers: [.grdb, .plainFile, .bareLMDB],
      makeArena: { try IngestArena(records: records) },
      yardstick: { .speed(bytes: $0.byteCount) },
      expectation: { Proof(records: $0.texts.count) }
    ).register()
  }
}

extension Contestant where Arena == IngestArena {
  /// Validates the file, builds blocks and an index, publishes and syncs.
  fileprivate static var feedCore: Contestant {
    Contestant("FeedCore") { arena in
      let store = try OurStore()
      return Attempt(
        run: { Proof(records: try store.database.ingest([arena.path]).records) },
        readBack: { try store.proof() })
    }
  }

  /// Decodes structs with `JSONDecoder`, and inserts them with one prepared statement in one
  /// transaction.
  fileprivate static var grdb: Contestant {
    Contestant("JSONDecoder and GRDB") { arena in
      let file = try SQLiteFile(schema: UniversityRow.create)
      return Attempt(
        run: {
          let universities = try decoded(arena.path)
          try file.queue.write { try UniversityRow.insert(universities, into: $0) }
          return Proof(records: universities.count)
        },
        readBack: {
          try file.queue.read { database in
            let row = try Row.fetchOne(
              database,
              sql: "SELECT COUNT(*), SUM(LENGTH(CAST(name AS BLOB))) FROM university")
            let bytes: Int? = row?[1]
            return Proof(records: row?[0], sum: bytes.map { UInt64($0) })
          }
        })
    }
  }

  /// Decodes structs with `JSONDecoder`. Writes them to one file with `JSONEncoder` and `fsync`.
  fileprivate static var plainFile: Contestant {
    Contestant("JSONDecoder and plain file") { arena in
      let directory = try TemporaryDirectory()
      let path = directory.file("universities.json")
      return Attempt(
        run: {
          let universities = try decoded(arena.path)
          try SyncedFile.write(try JSONEncoder().encode(universities), to: path)
          return Proof(records: universities.count)
        },
        readBack: {
          // Also keeps the directory until here.
          let universities = try decoded(directory.file("universities.json"))
          let sum = universities.reduce(into: UInt64(0)) { $0 += UInt64($1.name.utf8.count) }
          return Proof(records: universities.count, sum: sum)
        })
    }
  }

  /// `mdb_put` in one transaction, of texts in memory that are already split into records and
  /// sorted by key. It reads no file and parses nothing, so it measures only storing in LMDB.
  fileprivate static var bareLMDB: Contestant {
    Contestant("C LMDB, bare puts") { arena in
      let store = try LMDBPuts(mapBytes: 8 * arena.texts.bytes.count + (1 << 26))
      return Attempt(
        run: {
          try store.put(arena.texts, aCommit: arena.texts.count)
          return Proof(records: arena.texts.count)
        },
        readBack: { Proof(records: try store.proof().records) })
    }
  }

  private static func decoded(_ path: String) throws -> [University] {
    try JSONDecoder().decode(
      [University].self, from: try Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
