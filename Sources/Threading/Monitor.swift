#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A value behind a mutex, with a condition on which threads wait for it to change.
///
/// `Synchronization.Mutex` has no condition; this is used where a thread
/// sleeps until another one is done.
///
/// `@unchecked Sendable`: `value` is reached only in `withLock` and `wait`,
/// both of which hold the mutex, and is handed over by `sending`.
package final class Monitor<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Changes the value and wakes everyone who waits for it.
  package func withLock<R, Failure: Error>(_ body: (inout Value) throws(Failure) -> R)
    throws(Failure) -> R
  {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return try body(&value)
  }

  /// Sleeps until `body` returns something; `body` is called under the lock after each change.
  package func wait<R, Failure: Error>(
    until body: (inout Value) throws(Failure) -> R?
  ) throws(Failure) -> R {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    while true {
      if let result = try body(&value) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }
}
