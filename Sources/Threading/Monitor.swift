#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A value behind a mutex, with a condition on which threads wait for it to change.
///
/// `Synchronization.Mutex` has no condition; this is used where a thread sleeps until another one
/// is done.
///
/// `@unchecked Sendable`: `value` is reached only in `withLock` and `wait`, which hold the mutex,
/// and is handed over by `sending`.
package final class Monitor<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

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
  /// - Parameter concerns: whether the changed value concerns a thread that waits. Waking one for
  ///   nothing costs several microseconds.
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

  /// Wakes after unlocking: a thread that wakes before would sleep again, on the lock. The caller's
  /// reference to this object keeps the condition alive until then.
  private func unlock(wakes: Bool) {
    pthread_mutex_unlock(mutex)
    if wakes { pthread_cond_broadcast(condition) }
  }

  /// Sleeps until `body` returns something; `body` is called under the lock after each change.
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

  /// Sleeps until `body` returns something, but no longer than `limit`; then returns nil.
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

  // MARK: Forks

  // For what belongs to the whole process. A thread that holds the lock while another one forks is not
  // in the child, where the lock would stay held. So the one that forks takes it before (`hold`) and
  // lets it go behind, in the parent and in the child.

  /// Takes the lock, so that no change is under way.
  package func hold() { pthread_mutex_lock(mutex) }

  /// Lets it go, in the process that has forked.
  package func letGo() { pthread_mutex_unlock(mutex) }

  /// Lets it go in the child, where nobody waits: the condition still counts the parent's threads.
  package func letGoInChild() {
    Self.makeCondition(condition)
    pthread_mutex_unlock(mutex)
  }

  // A change of the calendar's clock must not make a wait longer: Linux has the monotonic clock
  // for it, macOS a call that takes an interval.
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
