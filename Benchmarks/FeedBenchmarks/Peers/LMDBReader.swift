import CPeers

/// Values in LMDB as a C program would store them: by key, in full pages. They are read by
/// `mdb_get` with `memcpy`, or by a cursor.
final class LMDBReader {
  private let handle: OpaquePointer
  private let directory: TemporaryDirectory

  /// - Throws: an error if a key has more than 511 bytes or occurs twice.
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

  /// Looks up each key in its own snapshot. Returns the number of bytes copied.
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
