/// The tables of an environment by name.
package struct Tables: Sendable {
  private let tables: [String: Table]
  private let path: String

  init(_ tables: [String: Table], path: String) {
    self.tables = tables
    self.path = path
  }

  /// The table of a name from the environment's configuration.
  package func table(_ name: String) throws(LMDBError) -> Table {
    if let table = tables[name] { return table }
    throw LMDBError(
      .notFound, "the table \(name) is not one of those this environment was opened with",
      path: path)
  }
}
