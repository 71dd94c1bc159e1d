import FeedCore
import GRDB

/// A university as a row of SQLite. The two lists are texts with an element a line, which are
/// faster to read than GRDB's JSON.
struct UniversityRow: FetchableRecord {
  static let create = """
    CREATE TABLE university (
      name TEXT NOT NULL PRIMARY KEY, country TEXT NOT NULL, code TEXT NOT NULL, province TEXT,
      pages TEXT NOT NULL, domains TEXT)
    """
  /// A table without row IDs is faster to look up in, and slower to fill.
  static let createForLookups = create + " WITHOUT ROWID"
  static let insert = "INSERT INTO university VALUES (?, ?, ?, ?, ?, ?)"
  static let select = "SELECT name, country, code, province, pages, domains FROM university"

  let university: University

  init(row: Row) {
    let pages: String = row[4]
    let domains: String? = row[5]
    university = University(
      name: row[0], country: row[1], alphaTwoCode: row[2], stateProvince: row[3],
      webPages: pages.split(separator: "\n").map(String.init),
      domains: domains?.split(separator: "\n").map(String.init))
  }

  /// Inserts all universities with one prepared statement.
  static func insert(_ universities: [University], into database: Database) throws {
    let statement = try database.makeStatement(sql: insert)
    for university in universities {
      try statement.execute(arguments: [
        university.name, university.country, university.alphaTwoCode, university.stateProvince,
        university.webPages.joined(separator: "\n"), university.domains?.joined(separator: "\n"),
      ])
    }
  }
}
