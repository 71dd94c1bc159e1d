#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A thread, told from all others that run at the same time. Once it has ended, a later one may
/// have its identity.
package struct ThreadIdentity: Hashable, Sendable {
  private let number: UInt

  /// The thread that runs right now.
  package static var current: ThreadIdentity {
    #if canImport(Glibc)
      ThreadIdentity(number: UInt(pthread_self()))
    #else
      ThreadIdentity(number: UInt(bitPattern: pthread_self()))
    #endif
  }
}
