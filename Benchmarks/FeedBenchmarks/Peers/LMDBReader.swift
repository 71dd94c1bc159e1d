import CPeers

/// What a C program would have in LMDB: each value under its key, in full pages, and `mdb_get` with
/// `memcpy` or a cursor to read them.
final class LMDBReader {
  private let handle: OpaquePointer
  private let directory: TemporaryDirectory

  /// - Throws: where it cannot hold all: keys have at most 511 bytes and are unique.
  init(_ entries: Entries) throws {
    directory = try TemporaryDirectory()
    var made: OpaquePointer?
    var sorted = entries.entries
    var code = feedpeer_open(directory.path, 4 * entries.bytes.count + (1 << 26), &made)
    if code == 0, let made {
      code = feedpeer_build(made, entries.bytes, &sorted, sorted.count)
    }
    guard code == 0, let made, sorted.allSatisfy(\.is_stored) else {
      feedpeer_close(made)
      throw LMDBPuts.error(code)
    }
    handle = made
  }

  deinit { feedpeer_close(handle) }

  /// Looks up all keys, each in a snapshot of its own; returns the bytes that were copied.
  func lookUp(_ keys: LookupKeys) throws -> Int {
    var copied = 0
    let code = feedpeer_look_up(handle, keys.bytes, keys.ends, keys.ends.count, true, &copied)
    guard code == 0 else { throw LMDBPuts.error(code) }
    return copied
  }

  /// The sum of all keys, or of all values.
  func sum(ofValues: Bool) throws -> UInt64 {
    var sum: UInt64 = 0
    let code = feedpeer_scan(handle, ofValues, &sum)
    guard code == 0 else { throw LMDBPuts.error(code) }
    return sum
  }
}
