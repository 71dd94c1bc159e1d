import Threading

/// The environments that are open in this process, by device and inode of their data file.
///
/// Locks of `fcntl` belong to the process: a second `MDB_env` on the same
/// file would clear the reader table under the first and drop its locks when
/// closed. So whoever opens a file again gets the same environment, whatever
/// path led there.
struct EnvironmentRegistry: Sendable {
  static let shared = EnvironmentRegistry()

  private struct Entry {
    /// Nil while the last reference has gone but the file is not closed yet.
    weak var environment: Environment?
    let writer: UInt64
  }

  private let entries = Monitor<[FileSystem.Identity: Entry]>([:])

  /// The environment of a directory, created where there is none.
  func open(
    _ directory: String, _ configuration: Environment.Configuration
  ) throws(LMDBError) -> Environment {
    guard ForkGuard.install() else {
      throw LMDBError(.outOfMemory, "the system refused a fork handler", path: directory)
    }
    // Waiting means: an environment on this file is being closed right now.
    return try entries.wait { entries throws(LMDBError) in
      let dataFile = try EnvironmentCreation.ensure(directory, configuration)
      guard let entry = entries[dataFile.identity] else {
        try dataFile.verify()
        let environment = try Environment(dataFile.directory, configuration)
        entries[environment.file] = Entry(
          environment: environment, writer: environment.writerIdentifier)
        return environment
      }
      if let environment = entry.environment { return environment }
      if entry.writer == CurrentThread.identifier {
        throw LMDBError(.busy, "it is being closed by this very thread", path: directory)
      }
      return nil
    }
  }

  /// Called once the file is closed.
  func remove(_ file: FileSystem.Identity) {
    entries.withLock { entries in entries[file] = nil }
  }
}
