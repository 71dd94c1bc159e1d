import FeedRecord
import LMDB

extension EnvironmentReaders {
  /// The environment's read, compiled here for the types with which it is used.
  @inline(__always)
  func read<R: ~Copyable>(
    _ body: (borrowing ReadTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    let reader: OpaquePointer
    do throws(LMDBError) {
      reader = try acquire()
    } catch {
      throw StoreError(error)
    }
    defer { release(reader) }
    return try body(transaction(reader))
  }
}

extension Environment {
  /// The same as the read of any error.
  @inline(__always)
  func read<R: ~Copyable>(
    _ body: (borrowing ReadTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    try readers.read(body)
  }
}
