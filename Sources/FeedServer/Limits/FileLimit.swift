#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The maximum number of files and connections that the process may open.
enum FileLimit {
  /// The files of the store, the images, their locks, the listeners and the system.
  private static let otherFiles = 96

  /// Raises the limit as far as the system allows without privileges.
  ///
  /// - Returns: the new limit; nil if the system does not report it.
  @discardableResult
  static func raise() -> Int? {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return nil }
    if limit.rlim_cur < limit.rlim_max {
      let before = limit.rlim_cur
      limit.rlim_cur = limit.rlim_max
      if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// The maximum number of responses that are cached as open files, for a limit of files.
  static func sharedResponses(files: Int) -> Int { min(max(files, 0) / 8, 1024) }

  /// The maximum number of connections of each protocol, for a limit of files. A fifth of the room
  /// is left to refused connections. A connection that cannot be accepted at all would wait in
  /// vain.
  static func connections(of protocols: Int, files: Int) -> Int {
    let room = files - otherFiles - sharedResponses(files: files)
    return max(room / max(protocols, 1) * 4 / 5, 1)
  }
}
