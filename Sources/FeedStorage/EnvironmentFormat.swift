import FeedRecord
import LMDB

/// What the first row of one of our environments says: whose it is, and in which format.
struct EnvironmentFormat: Sendable {
  /// Tells the kinds of environment apart.
  let magic: UInt32
  /// The version that this program writes, and the newest that it knows.
  let version: UInt32

  static let table = "meta"
  /// Magic u32, version u32, environment id u64.
  private static let key = Array("format".utf8)

  /// Writes the row: by default that of a new environment, with a random id.
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

  /// The version in which the environment was last written, and its id.
  ///
  /// - Throws: `damaged` where the row is another's; `incompatible` where a newer version wrote it
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
