import CLMDB
import Threading

/// Begins to write a large commit to the disk while LMDB still copies its pages into the file.
///
/// LMDB copies all pages first and then waits for the disk. The two take about as long, and both
/// limit an ingest. So a second thread asks the kernel several times during the commit to begin with
/// the pages that are in the file already. Durability does not depend on it: LMDB waits for all
/// pages before it writes the meta page.
enum EarlyWriteBack {
  /// The minimum size of a commit in bytes. For a smaller one the thread costs more than it saves.
  private static let minimumBytes = 2 << 20
  /// LMDB copies about a mebibyte in this time.
  private static let interval = Duration.microseconds(300)

  /// Runs a commit, and returns its result.
  ///
  /// - Parameter bytes: the approximate number of bytes that the commit writes
  static func during<R>(
    commitOf bytes: Int, to environment: OpaquePointer, _ commit: () -> R
  ) -> R {
    // Only Linux has the call.
    #if os(Linux)
      var descriptor: CInt = -1
      guard bytes >= minimumBytes, mdb_env_get_fd(environment, &descriptor) == 0 else {
        return commit()
      }
      let file = descriptor
      let isCommitted = Monitor(false)
      // If the system refuses a thread, the commit only takes longer.
      let thread = WorkerThread {
        for _ in 0..<bytes >> 20 {
          guard isCommitted.wait(atMost: interval, until: { $0 ? true : nil }) == nil else {
            return
          }
          feedcore_start_writing(file)
        }
      }
      let result = commit()
      isCommitted.withLock { $0 = true }
      // The descriptor must stay open until the thread has ended.
      thread?.join()
      return result
    #else
      return commit()
    #endif
  }
}
