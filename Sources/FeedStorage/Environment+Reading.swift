import LMDB

extension Environment {
  /// The same as the read of any error, compiled here for the types with which it is used.
  @inline(__always)
  func read<R: ~Copyable>(
    _ body: (borrowing ReadTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    let reader: OpaquePointer
    do throws(LMDBError) {
      reader = try acquireReader()
    } catch {
      throw StoreError(error)
    }
    defer { releaseReader(reader) }
    return try body(readTransaction(reader))
  }
}
