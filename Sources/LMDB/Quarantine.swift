#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Moves a damaged environment aside, where nobody serves it and nobody deletes it.
extension Environment {
  /// Renames an environment's directory, under its write lock where it can still be opened.
  ///
  /// Processes that are attached to it are told so at their next write, and at one of their next
  /// reads.
  ///
  /// - Parameter opening: whether to try to open it
  /// - Returns: where it is now
  package static func quarantine(
    _ directory: String, opening: Bool = true
  ) throws(LMDBError) -> String {
    let directory = FileSystem.resolved(directory)
    let target = free(directory)
    do throws(LMDBError) {
      guard opening else {
        throw LMDBError(.damaged, "it is not to be opened", path: directory)
      }
      let environment = try open(directory, Configuration(tables: []))
      try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
        try FileSystem.rename(directory, to: target)
        let moved = Table(
          identifier: ReplacementRecord.table, environment: environment.store.identifier)
        let name = ReplacementRecord.moved
        try transaction.put(moved, name.span.bytes, name.span.bytes)
      }
    } catch {
      // It is damaged, so it may well not be opened or written: the name is what counts.
      if try DataFile(in: directory) != nil { try FileSystem.rename(directory, to: target) }
    }
    try FileSystem.synchronize(FileSystem.parent(of: directory) ?? ".")
    return target
  }

  /// The names of the environments in a directory, in order.
  package static func names(in directory: String) -> [String] {
    FileSystem.names(in: directory).filter { name in
      // Those that are being made, were replaced or moved aside have a dot in their names.
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
