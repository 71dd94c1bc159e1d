import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The slots of LMDB's reader table, which belong to processes by number.
///
/// A process of the same number in another PID namespace, such as the first one of another
/// container, cannot read the same store at the same time: LMDB locks the byte of the number.
enum ReaderSlots {
  /// Whether slots with the number of this process were left by a process that was killed.
  ///
  /// LMDB checks the slots of other numbers only. It frees those of this number when the environment
  /// is closed, and only then.
  ///
  /// - Parameter handle: a new environment, without readers
  /// - Throws: `busy` if the slots belong to a process of another namespace
  static func hasAbandoned(
    _ handle: OpaquePointer, _ directory: String
  ) throws(LMDBError) -> Bool {
    guard all(handle).contains(where: { $0.process == Int(getpid()) }) else { return false }
    var transaction: OpaquePointer?
    let code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
    guard code == 0, let transaction else {
      mdb_env_close(handle)
      throw LMDBError(resultCode: code, doing: "open the store", path: directory)
    }
    mdb_txn_abort(transaction)
    return true
  }

  /// The used slots of all processes.
  static func all(_ handle: OpaquePointer?) -> [EnvironmentStatistics.Reader] {
    var lines: [String] = []
    withUnsafeMutablePointer(to: &lines) { lines in
      _ = mdb_reader_list(
        handle,
        { line, context in
          let lines = context?.assumingMemoryBound(to: [String].self)
          if let line { lines?.pointee.append(String(cString: line)) }
          return 0
        }, lines)
    }
    return lines.compactMap(reader)
  }

  /// A line is "pid thread transaction"; the last is "-" if there is none.
  private static func reader(_ line: String) -> EnvironmentStatistics.Reader? {
    let words = line.split { $0 == " " || $0 == "\n" }
    guard words.count == 3, let process = Int(words[0]) else { return nil }
    return EnvironmentStatistics.Reader(process: process, transaction: Int(words[2]))
  }
}

extension Environment {
  /// Whether a process in another PID namespace has the number of this one and the environment of a
  /// directory open.
  ///
  /// Closing the lock file drops the locks of this process on it, so this process must not have the
  /// environment open.
  package static func isProcessNumberTaken(in directory: String) -> Bool {
    let descriptor = systemOpen(directory + "/" + DataFile.lockName, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return feedcore_lock_length(descriptor, Int64(getpid())) > 0
  }
}

// Inside the type, `open` would refer to the method.
private func systemOpen(_ path: String, _ flags: CInt) -> CInt { open(path, flags) }
