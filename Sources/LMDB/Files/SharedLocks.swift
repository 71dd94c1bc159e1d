import Synchronization

/// Shared locks on bytes of one lock file, counted within the process.
///
/// All of them use one open file, so taking a lock costs one system call, and taking one that the
/// process already has costs none. Shared and exclusive locks of other open files exclude each
/// other as those of ``FileLock`` do, within the process too.
package final class SharedLocks: Sendable {
  private struct State {
    var file: LockedFile?
    var held: [Int64: Held] = [:]
  }

  private struct Held {
    var count = 1
    var isConfirmed = false
  }

  private enum LockedFile {
    case open(LockDescriptor)
    /// No process can write on this file system, so there is nothing to lock.
    case unneeded
  }

  private let path: String
  private let sharing: Sharing
  private let forkGeneration: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - path: the lock file, created with the first lock if it does not exist
  ///   - sharing: which other users may use a new file
  package init(_ path: String, _ sharing: Sharing = .owner) {
    ForkGuard.install()
    forkGeneration = ForkGuard.generation
    self.path = path
    self.sharing = sharing
  }

  /// The result of an attempt to take a lock.
  package enum Acquisition: Sendable {
    /// Another holder has an exclusive lock; nothing was taken.
    case excluded
    /// Taken. What the lock protects may have been removed before.
    case unconfirmed
    /// Taken. The process has held the lock since a holder found what it protects, so it is there.
    case confirmed
  }

  /// Takes a shared lock without waiting. Unless it is excluded, `release` must follow.
  package func acquire(byte: Int64) throws(LMDBError) -> Acquisition {
    // A child does not have the locks of its parent.
    guard ForkGuard.generation == forkGeneration else { throw .forked(path) }
    return try state.withLock { state throws(LMDBError) -> Acquisition in
      if let held = state.held[byte] {
        state.held[byte]?.count += 1
        return held.isConfirmed ? .confirmed : .unconfirmed
      }
      guard try lock(byte, &state) else { return .excluded }
      state.held[byte] = Held()
      return .unconfirmed
    }
  }

  private func lock(_ byte: Int64, _ state: inout State) throws(LMDBError) -> Bool {
    let file: LockedFile
    if let open = state.file {
      file = open
    } else {
      file = try FileLock.openFile(path, .shared, sharing).map { .open($0) } ?? .unneeded
      state.file = file
    }
    guard case .open(let descriptor) = file else { return true }
    return try FileLock.lock(descriptor, .shared, byte: byte, path: path)
  }

  /// Notes that a holder has found what the lock protects. It saves later holders the check.
  package func confirm(byte: Int64) {
    state.withLock { state in state.held[byte]?.isConfirmed = true }
  }

  /// Releases a lock; the last release of a byte unlocks it.
  package func release(byte: Int64) {
    guard ForkGuard.generation == forkGeneration else { return }
    state.withLock { state in
      guard let held = state.held[byte] else { return }
      guard held.count == 1 else {
        state.held[byte]?.count -= 1
        return
      }
      state.held[byte] = nil
      if case .open(let descriptor) = state.file { FileLock.unlock(descriptor, byte: byte) }
    }
  }
}
