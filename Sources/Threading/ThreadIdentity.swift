#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Identifies a thread among all that run at the same time. Once it has ended, a later thread may
/// get the same identity.
package struct ThreadIdentity: Hashable, Sendable {
  private let number: UInt

  /// The current thread.
  package static var current: ThreadIdentity {
    #if canImport(Glibc)
      ThreadIdentity(number: UInt(pthread_self()))
    #else
      ThreadIdentity(number: UInt(bitPattern: pthread_self()))
    #endif
  }
}
