import LMDB
import Synchronization

/// Sees to it that a store goes on only with files that it can tell damage in.
///
/// The checksums of blocks hold the store's identifier; in the file of another store every block
/// would be damaged.
final class StoreIdentity: Sendable {
  private let identifier = Mutex<UInt64?>(nil)

  func set(_ identifier: UInt64) {
    self.identifier.withLock { $0 = identifier }
  }

  /// Refuses the file of another store.
  func verify(_ other: () throws(StoreError) -> UInt64) throws(LMDBError) {
    guard let own = identifier.withLock({ $0 }) else { return }
    if let other = try? other(), other == own { return }
    throw LMDBError(
      .closed, "another store was put in the place of this one; open it again", path: nil)
  }
}

extension StoreError {
  /// The error of opening a store, with what to do about a damaged one.
  var withRemedy: StoreError {
    guard code == .damaged else { return self }
    return StoreError(
      code,
      message + "; `feedcore store check` tells more, with --quarantine it moves it aside, and"
        + " `feedcore store restore` or an ingest makes it anew",
      path: path, cause: cause)
  }
}
