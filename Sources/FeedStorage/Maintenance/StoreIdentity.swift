import LMDB
import Synchronization

/// Ensures that a store continues only with files whose damage it can detect.
///
/// The checksums of blocks include the store's identifier. In the file of another store every block
/// would look damaged.
final class StoreIdentity: Sendable {
  private let identifier = Mutex<UInt64?>(nil)

  func set(_ identifier: UInt64) {
    self.identifier.withLock { $0 = identifier }
  }

  /// Rejects the file of another store.
  func verify(_ other: () throws(StoreError) -> UInt64) throws(LMDBError) {
    guard let own = identifier.withLock({ $0 }) else { return }
    if let other = try? other(), other == own { return }
    throw LMDBError(
      .closed, "another store was put in the place of this one; open it again", path: nil)
  }
}

extension StoreError {
  /// The error of opening a store, with a remedy if the store is damaged.
  var withRemedy: StoreError {
    guard code == .damaged else { return self }
    return StoreError(
      code,
      message + "; `feedcore store check` tells more, with --quarantine it moves it aside, and"
        + " `feedcore store restore` or an ingest makes it anew",
      path: path, cause: cause)
  }
}
