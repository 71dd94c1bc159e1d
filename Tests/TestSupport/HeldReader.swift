package import FeedStorage
import LMDB
import Synchronization

/// An open LMDB read transaction of a store, like that of a reader whose body does not return.
package final class HeldReader: Sendable {
  private let environment: Environment
  private let reader: Mutex<Reader?>

  /// `@unchecked Sendable`: under `MDB_NOTLS` a read transaction belongs to its holder, and nothing
  /// is read in it.
  private struct Reader: @unchecked Sendable {
    let handle: OpaquePointer
  }

  /// - Throws: `busy` if all slots for readers are taken
  package init(of database: FeedDatabase) throws {
    environment = try Environment.open(
      database.directory + "/feeds", Environment.Configuration(tables: []))
    reader = Mutex(Reader(handle: try environment.readers.acquire()))
  }

  deinit { end() }

  /// Ends the transaction. May be called again.
  package func end() {
    if let reader = reader.withLock({ $0.take() }) { environment.readers.release(reader.handle) }
  }
}
