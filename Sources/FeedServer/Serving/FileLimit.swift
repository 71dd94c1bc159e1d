#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How many files and connections the process may have open.
enum FileLimit {
  /// The store, the images, their locks, the listeners and what the system has open in a process.
  private static let otherFiles = 96

  /// Raises it as far as the system lets a process do that by itself.
  ///
  /// - Returns: the files that it may have open then; nil where the system does not tell.
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

  /// The answers that may be kept as open files where so many files may be open.
  static func lentAnswers(files: Int) -> Int { min(max(files, 0) / 8, 1024) }

  /// The connections that each of some protocols may have where so many files may be open. A fifth
  /// of the room is left to those who are told that there is none: a connection that cannot even be
  /// accepted would wait in vain.
  static func connections(of protocols: Int, files: Int) -> Int {
    let room = files - otherFiles - lentAnswers(files: files)
    return max(room / max(protocols, 1) * 4 / 5, 1)
  }
}
