#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A value protected by a mutex, with a condition on which threads and tasks wait for a change.
///
/// `Synchronization.Mutex` has no condition; this type lets a thread sleep, or a task be suspended,
/// until another one is done.
///
/// `@unchecked Sendable`: `value` and `suspended` are accessed only by methods that hold the mutex,
/// and the value is transferred to the monitor by `sending`.
package final class Monitor<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value
  /// Resume the suspended tasks.
  private var suspended: [() -> Void] = []

  package init(_ value: sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    Self.makeCondition(condition)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Changes the value and wakes the threads that wait for it.
  ///
  /// - Parameter concerns: true if the changed value concerns a waiting thread. A needless wake-up
  ///   costs several microseconds.
  package func withLock<R, Failure: Error>(
    wakingIf concerns: (Value) -> Bool = { _ in true },
    _ body: (inout Value) throws(Failure) -> R
  ) throws(Failure) -> R {
    pthread_mutex_lock(mutex)
    defer { unlock(wakes: concerns(value)) }
    return try body(&value)
  }

  /// Reads the value. Wakes no thread, since nothing changes.
  package func read<R, Failure: Error>(
    _ body: (Value) throws(Failure) -> R
  ) throws(Failure) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(value)
  }

  /// Wakes after unlocking: a thread woken earlier would sleep again, on the lock. The caller's
  /// reference to this object keeps the condition alive.
  private func unlock(wakes: Bool) {
    guard wakes else {
      pthread_mutex_unlock(mutex)
      return
    }
    let resumed = suspended
    if !resumed.isEmpty { suspended = [] }
    pthread_mutex_unlock(mutex)
    pthread_cond_broadcast(condition)
    for resume in resumed { resume() }
  }

  /// Sleeps until `body` returns a result; `body` is called under the lock after each change.
  ///
  /// - Parameter concerns: as for ``withLock(wakingIf:_:)``.
  package func wait<R, Failure: Error>(
    wakingIf concerns: (Value) -> Bool = { _ in true },
    until body: (inout Value) throws(Failure) -> R?
  ) throws(Failure) -> R {
    pthread_mutex_lock(mutex)
    defer { unlock(wakes: concerns(value)) }
    while true {
      if let result = try body(&value) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// Sleeps until `body` returns a result; returns nil after `limit`.
  ///
  /// - Parameter concerns: as for ``withLock(wakingIf:_:)``.
  package func wait<R, Failure: Error>(
    atMost limit: Duration, wakingIf concerns: (Value) -> Bool = { _ in true },
    until body: (inout Value) throws(Failure) -> R?
  ) throws(Failure) -> R? {
    pthread_mutex_lock(mutex)
    defer { unlock(wakes: concerns(value)) }
    if let result = try body(&value) { return result }
    let deadline = ContinuousClock.now + limit
    while true {
      let left = deadline - ContinuousClock.now
      guard left > .zero else { return nil }
      Self.sleep(on: condition, mutex, atMost: left)
      if let result = try body(&value) { return result }
    }
  }

  /// Suspends the task until `body` returns a result; `body` is called under the lock after each
  /// change. Cancellation of the task does not end the wait.
  package func suspend<R: Sendable>(until body: (inout Value) -> R?) async -> R {
    while true {
      let result: R? = await withCheckedContinuation { continuation in
        pthread_mutex_lock(mutex)
        let result = body(&value)
        if result == nil { suspended.append { continuation.resume(returning: nil) } }
        unlock(wakes: result != nil)
        if let result { continuation.resume(returning: result) }
      }
      if let result { return result }
    }
  }

  // MARK: Forks

  // For state of the whole process. A thread that holds the lock while another thread forks does
  // not exist in the child, where the lock would stay held. So the forking thread takes the lock
  // before the fork (`lockBeforeFork`) and releases it after the fork, in the parent and in the child.

  /// Takes the lock, so that no change is in progress during the fork.
  package func lockBeforeFork() { pthread_mutex_lock(mutex) }

  /// Releases the lock in the parent process.
  package func unlockAfterFork() { pthread_mutex_unlock(mutex) }

  /// Releases the lock in the child. No thread waits there, but the condition still counts the
  /// parent's threads, so it is initialized again.
  package func unlockInForkedChild() {
    Self.makeCondition(condition)
    pthread_mutex_unlock(mutex)
  }

  // A change of the wall clock must not extend a wait: Linux has the monotonic clock for that,
  // macOS a call that takes an interval.
  #if canImport(Glibc)
    private static func makeCondition(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    }

    private static func sleep(
      on condition: UnsafeMutablePointer<pthread_cond_t>,
      _ mutex: UnsafeMutablePointer<pthread_mutex_t>, atMost limit: Duration
    ) {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      let nanoseconds = time.tv_nsec + Int(limit.components.attoseconds / 1_000_000_000)
      time.tv_sec += Int(limit.components.seconds) + nanoseconds / 1_000_000_000
      time.tv_nsec = nanoseconds % 1_000_000_000
      pthread_cond_timedwait(condition, mutex, &time)
    }
  #else
    private static func makeCondition(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
      pthread_cond_init(condition, nil)
    }

    private static func sleep(
      on condition: UnsafeMutablePointer<pthread_cond_t>,
      _ mutex: UnsafeMutablePointer<pthread_mutex_t>, atMost limit: Duration
    ) {
      var time = timespec(
        tv_sec: Int(limit.components.seconds),
        tv_nsec: Int(limit.components.attoseconds / 1_000_000_000))
      pthread_cond_timedwait_relative_np(condition, mutex, &time)
    }
  #endif
}
