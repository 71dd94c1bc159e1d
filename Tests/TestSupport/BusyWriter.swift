package import FeedStorage
import LMDB

/// A writer of another process that does not finish, as this process sees it: it holds the lock on
/// the data file that every writer takes first.
package final class BusyWriter: Sendable {
  private let lock: FileLock

  package struct Failure: Error {}

  package init(of database: FeedDatabase) throws {
    let file = database.directory + "/feeds/data.mdb"
    // The byte is part of the format that processes share: see `WriterLock`.
    guard let lock = try FileLock.acquire(file, .exclusive, byte: 1 << 61) else { throw Failure() }
    self.lock = lock
  }
}
