import CPeers

/// An LMDB environment that C writes to with `mdb_put`, durable as LMDB is by default.
final class LMDBPuts {
  private let handle: OpaquePointer
  private let directory: TemporaryDirectory

  init(mapBytes: Int) throws {
    directory = try TemporaryDirectory()
    var made: OpaquePointer?
    let code = bareputs_open(directory.path, mapBytes, &made)
    guard code == 0, let made else {
      bareputs_close(made)
      throw Self.error(code)
    }
    handle = made
  }

  deinit { bareputs_close(handle) }

  /// Puts all entries, `aCommit` in each transaction. A transaction sorts its entries first.
  func put(_ entries: Entries, aCommit: Int) throws {
    let code = bareputs_put(handle, entries.bytes, entries.entries, entries.count, aCommit)
    guard code == 0 else { throw Self.error(code) }
  }

  /// The number of entries, and the sum of the checksums of their values.
  func proof() throws -> Proof {
    var (count, sum) = (0, UInt64(0))
    let code = bareputs_sum(handle, &count, &sum)
    guard code == 0 else { throw Self.error(code) }
    return Proof(records: count, sum: sum)
  }

  static func error(_ code: CInt) -> ContestError {
    ContestError("LMDB: \(String(cString: feedpeer_message(code)))")
  }
}
