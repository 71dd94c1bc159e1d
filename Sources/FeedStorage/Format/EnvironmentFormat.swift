import FeedRecord
import LMDB

/// The first row of an environment: the kind of the environment and its format.
struct EnvironmentFormat: Sendable {
  /// Identifies the kind of environment.
  let magic: UInt32
  /// The version that this program writes, which is the newest that it can read.
  let version: UInt32

  static let table = "meta"
  /// Magic u32, version u32, environment id u64.
  private static let key = Array("format".utf8)

  /// Writes the row; by default with a random id, for a new environment.
  func write(
    _ meta: Table, identifier: UInt64 = .random(in: .min ... .max),
    _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    var row = RowWriter()
    row.write(magic)
    row.write(version)
    row.write(identifier)
    let (key, bytes) = (Self.key, row.sealed())
    try transaction.put(meta, key.span.bytes, bytes.span.bytes)
  }

  /// The version that last wrote the environment, and its id.
  ///
  /// - Throws: `damaged` if the row belongs to another kind; `incompatible` if a newer version
  ///   wrote it
  func read(
    _ meta: Table, _ transaction: borrowing ReadTransaction, path: String
  ) throws(StoreError) -> (version: UInt32, identifier: UInt64) {
    let key = Self.key
    do {
      guard let row = try transaction.get(meta, key.span.bytes) else {
        throw StoreError(.damaged, "the directory holds another kind of database", path: path)
      }
      var reader = try RowReader(row)
      guard try reader.read(UInt32.self) == magic else { throw RowReader.damaged }
      let stored = try reader.read(UInt32.self)
      guard stored <= version else {
        throw StoreError(
          .incompatible,
          "the store has format \(stored), this program knows \(version); use a newer FeedCore",
          path: path)
      }
      return (stored, try reader.read(UInt64.self))
    } catch {
      throw StoreError(wrapping: error, path: path)
    }
  }
}
