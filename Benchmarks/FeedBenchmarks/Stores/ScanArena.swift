import FeedCore
import Foundation
import GRDB

/// The same universities in FeedCore, in LMDB under their names, in SQLite and in one JSON file.
final class ScanArena {
  let ours: OurStore
  let file: String
  let records: Int
  private let directory: TemporaryDirectory
  private var madeLMDB: LMDBReader?
  private var madeSQLite: SQLiteFile?

  init(records: Int) throws {
    self.records = records
    let universities = try UniqueUniversities(count: records)
    directory = try TemporaryDirectory()
    file = directory.file("universities.json")
    try universities.document.write(to: URL(fileURLWithPath: file))
    ours = try OurStore()
    _ = try ours.database.ingest([file])
  }

  /// FeedCore's flat records in LMDB, made at the first access.
  var lmdb: LMDBReader {
    get throws {
      if let madeLMDB { return madeLMDB }
      let made = try LMDBReader(ours.flatRecords())
      madeLMDB = made
      return made
    }
  }

  /// A table with a row for each university, made at the first access.
  var sqlite: SQLiteFile {
    get throws {
      if let madeSQLite { return madeSQLite }
      let made = try SQLiteFile(schema: UniversityRow.create)
      let universities = try ours.current().records(of: University.self)
      try made.queue.write { try UniversityRow.insert(universities, into: $0) }
      madeSQLite = made
      return made
    }
  }
}
