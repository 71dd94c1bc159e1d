#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How many files and connections the process may have open.
enum FileLimit {
  /// Raises it as far as the system lets a process do that by itself.
  static func raise() {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
  }
}
