package import FeedStorage
import LMDB
import Threading

/// A write transaction of a store that stays open, like that of a stopped process.
package final class HeldWriter: Sendable {
  private enum Phase: Equatable {
    case waiting, writing, released
  }

  private let write: PendingWrite<Void, LMDBError>
  private let phase: Monitor<Phase>

  /// Returns once the transaction has begun.
  package init(of database: FeedDatabase) throws {
    let environment = try Environment.open(
      database.directory + "/feeds", Environment.Configuration(tables: []))
    let phase = Monitor(Phase.waiting)
    self.phase = phase
    write = environment.submit { (_: inout WriteTransaction) throws(LMDBError) in
      phase.withLock { $0 = .writing }
      _ = phase.wait { $0 == .released ? true : nil as Bool? }
    }
    _ = phase.wait { $0 == .writing ? true : nil as Bool? }
  }

  deinit { end() }

  /// Ends the transaction. May be called again.
  package func end() {
    phase.withLock { $0 = .released }
    try? write.wait()
  }
}
