import CLMDB
import Threading

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Excludes the writers of other processes from a data file, before LMDB's own lock does.
///
/// LMDB waits for its lock without a limit and does not know the holder. A stopped process would
/// block every writer for ever. This lock has a timeout and names its holder, and while a process
/// holds it, LMDB's lock is free.
///
/// The lock is on the data file itself. It therefore also excludes processes that have different
/// lock files of LMDB open, after one was removed. Closing the descriptor drops the `fcntl` locks of
/// this process on the data file; LMDB has its locks on `lock.mdb`.
///
/// One thread at a time may use a value.
struct WriterLock {
  /// How long a writer waits for others.
  struct Wait {
    static let defaultTimeout = Duration.seconds(30)

    var timeout = Self.defaultTimeout
    /// When the write was requested. It may have waited for previous writes of this process, which
    /// waited for the same holder.
    var start = ContinuousClock.now
  }

  /// Far beyond the data. The length of a lock names its holder, so nothing follows the first byte.
  private static let writing: Int64 = 1 << 61
  /// Locked by the processes that wait.
  private static let waiting: Int64 = 1 << 60

  /// The milliseconds between two turns that a busy writer gives to others.
  private static let turnInterval: UInt64 = 200
  /// The maximum delay between two attempts, and the length of a turn, in microseconds.
  private static let (longestDelay, turn) = (UInt32(5000), UInt32(12_000))

  /// The minimum time for a write that has waited for previous ones of its process.
  private static let rest = Duration.milliseconds(100)

  private let file: LockDescriptor
  private let kind: FileLock.Kind
  private let path: String
  private var lastTurn: UInt64 = 0

  /// Nil if the data file at the path is not the given one, or must not be written.
  ///
  /// - Parameter kind: `shared` to exclude writers only; needs no permission to write
  init?(
    _ directory: String, _ identity: FileSystem.Identity?, _ kind: FileLock.Kind = .exclusive
  ) {
    path = directory
    self.kind = kind
    let flags = kind == .shared ? O_RDONLY : O_RDWR
    let opened = LockDescriptor {
      open(directory + "/" + DataFile.name, flags | O_CLOEXEC)
    } unlock: { descriptor in
      _ = feedcore_lock_range(descriptor, CInt(F_UNLCK), Self.waiting, 0)
    }
    guard let opened else { return nil }
    if let identity {
      let status = try? FileSystem.status(ofDescriptor: opened.number, path: directory)
      guard let status, FileSystem.Identity(status) == identity else { return nil }
    }
    file = opened
  }

  /// Waits for the lock and takes it.
  ///
  /// - Throws: `busy` with the holder after the timeout; `cancelled` if interrupted
  mutating func acquire(_ wait: Wait) throws(LMDBError) {
    yieldToWaiters()
    if try attempt() { return }
    // If the system refuses this lock, the wait still works but is unfair.
    let isMarked = (try? FileLock.lock(file, .shared, byte: Self.waiting, path: path)) == true
    defer { if isMarked { FileLock.unlock(file, byte: Self.waiting) } }
    let deadline = max(wait.start + wait.timeout, .now + min(wait.timeout, Self.rest))
    var delay: UInt32 = 50
    repeat {
      if ProcessInterruption.isRequested { throw interrupted }
      if ContinuousClock.now >= deadline { throw timedOut(wait.timeout) }
      usleep(delay)
      delay = min(2 * delay, Self.longestDelay)
    } while try !attempt()
  }

  /// Takes the lock if no other holder has it.
  private func attempt() throws(LMDBError) -> Bool {
    try FileLock.lock(file, kind, byte: Self.writing, namesHolder: true, path: path)
  }

  func release() { FileLock.unlock(file, byte: Self.writing, namesHolder: true) }

  /// Waiting processes try the lock from time to time. Between two transactions of an ingest it is
  /// free for microseconds, which they would rarely meet. The ingest therefore pauses from time to
  /// time if a process waits. A stopped one delays it by a few percent.
  private mutating func yieldToWaiters() {
    let now = feedcore_coarse_milliseconds()
    guard kind == .exclusive, now &- lastTurn >= Self.turnInterval else { return }
    lastTurn = now
    if feedcore_lock_length(file.number, Self.waiting) > 0 { usleep(Self.turn) }
  }

  private var interrupted: LMDBError {
    let holder = FileLock.holder(of: file, byte: Self.writing)
    return LMDBError(
      .cancelled,
      "interrupted while \(FileLock.name(ofHolder: holder)) was writing the store",
      path: path)
  }

  private func timedOut(_ timeout: Duration) -> LMDBError {
    let holder = FileLock.holder(of: file, byte: Self.writing)
    return LMDBError(
      .busy,
      "\(FileLock.name(ofHolder: holder)) is writing the store, and has not finished within"
        + " \(timeout.secondsText); \(FileLock.remedy(forHolder: holder))",
      path: path)
  }
}
