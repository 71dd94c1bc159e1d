import FeedCore
import Foundation
import GRDB

/// The same universities by name in FeedCore, LMDB and SQLite. Each university that is looked up
/// also has a plain file.
///
/// Bytes are compared with bytes and models with models. For bytes, all stores hold FeedCore's flat
/// records. For models, each store holds the form that it decodes.
final class LookupArena {
  /// The result of a look-up.
  enum Content {
    case bytes, models
  }

  let ours: OurStore
  /// Nil for models.
  let lmdb: LMDBReader?
  let sqlite: SQLiteFile
  /// The keys to look up, in random order.
  let keys: LookupKeys
  let names: [String]
  /// The files of the keys in the same order. Making paths of keys is not measured.
  let files: [String]
  private let directory: TemporaryDirectory

  init(_ content: Content, records: Int, lookups: Int) throws {
    directory = try TemporaryDirectory()
    let universities = try UniqueUniversities(count: records)
    let document = directory.file("universities.json")
    try universities.document.write(to: URL(fileURLWithPath: document))
    ours = try OurStore()
    _ = try ours.database.ingest([document])
    let flat = try ours.flatRecords()
    let chosen = (0..<lookups).map { _ in Int.random(in: 0..<records) }
    var keys = LookupKeys()
    for index in chosen { keys.append(flat.key(at: index)) }
    self.keys = keys
    names = chosen.map { String(decoding: flat.key(at: $0), as: UTF8.self) }
    files = chosen.map { [directory] in directory.file("\($0)") }
    switch content {
    case .bytes:
      lmdb = try LMDBReader(flat)
      sqlite = try Self.table(of: flat)
    case .models:
      lmdb = nil
      sqlite = try Self.table(of: ours)
    }
    let values = content == .bytes ? flat : universities.texts
    for (index, file) in zip(chosen, files) {
      try Data(values.value(at: index)).write(to: URL(fileURLWithPath: file))
    }
  }

  private static func table(of records: Entries) throws -> SQLiteFile {
    let file = try SQLiteFile(
      schema: """
        CREATE TABLE flat (name TEXT NOT NULL PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID
        """)
    try file.queue.write { database in
      let statement = try database.makeStatement(sql: "INSERT INTO flat VALUES (?, ?)")
      for index in 0..<records.count {
        let name = String(decoding: records.key(at: index), as: UTF8.self)
        try statement.execute(arguments: [name, Data(records.value(at: index))])
      }
    }
    return file
  }

  private static func table(of store: OurStore) throws -> SQLiteFile {
    let file = try SQLiteFile(schema: UniversityRow.createForLookups)
    let universities = try store.current().records(of: University.self)
    try file.queue.write { try UniversityRow.insert(universities, into: $0) }
    return file
  }
}
