import FeedRecord
import LMDB

extension EnvironmentReaders {
  /// A specialisation of the environment's `read` for the error type of this module.
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
  /// A specialisation of the generic `read`.
  @inline(__always)
  func read<R: ~Copyable>(
    _ body: (borrowing ReadTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    try readers.read(body)
  }
}
