#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Moves a damaged environment aside, where no process serves or deletes it.
extension Environment {
  /// Renames an environment's directory, under its write lock if it can still be opened.
  ///
  /// Attached processes are notified at their next write, and at one of their next reads.
  ///
  /// - Parameters:
  ///   - file: the data file that was found damaged; nil for whatever file is there
  ///   - opening: whether to try to open it
  /// - Returns: the new path
  /// - Throws: `notFound` if there is no environment; `busy` if another file has replaced the
  ///   damaged one, or a process is about to replace it
  package static func quarantine(
    _ directory: String, file: DataFileIdentity? = nil, opening: Bool = true
  ) throws(LMDBError) -> String {
    let directory = FileSystem.resolved(directory)
    let target = free(directory)
    try requireFile(file, in: directory)
    do throws(LMDBError) {
      guard opening else {
        throw LMDBError(.damaged, "it must not be opened", path: directory)
      }
      let environment = try open(directory, Configuration(tables: []))
      try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
        try requireFile(file, in: directory)
        try FileSystem.rename(directory, to: target)
        try transaction.announceReplacement()
      }
    } catch {
      // Another process is working on it, or it no longer exists.
      if error.code == .busy || error.code == .notFound { throw error }
      // A damaged environment may fail to open or write. Only the rename matters.
      if try DataFile(in: directory) != nil {
        try requireFile(file, in: directory)
        try FileSystem.rename(directory, to: target)
      }
    }
    try FileSystem.synchronize(FileSystem.parent(of: directory) ?? ".")
    return target
  }

  private static func requireFile(
    _ file: DataFileIdentity?, in directory: String
  ) throws(LMDBError) {
    guard let found = try DataFile(in: directory) else {
      throw LMDBError(.notFound, "there is no store to be moved aside", path: directory)
    }
    if let file, file != DataFileIdentity(found.identity) {
      throw LMDBError(
        .busy, "the store was replaced since it was found to be damaged; check it again",
        path: directory)
    }
  }

  /// The sorted names of the environments in a directory.
  package static func names(in directory: String) -> [String] {
    FileSystem.names(in: directory).filter { name in
      // Environments that are being created, or were replaced or moved aside, have a dot in their
      // names.
      !name.contains(".") && (try? exists(directory + "/" + name)) == true
    }.sorted()
  }

  private static func free(_ directory: String) -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 32)
    strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
    let stamp = text.withUnsafeBytes { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let name = "\(directory).corrupt-\(stamp)"
    for number in 1... where access(number == 1 ? name : "\(name).\(number)", F_OK) != 0 {
      return number == 1 ? name : "\(name).\(number)"
    }
    return name
  }
}
