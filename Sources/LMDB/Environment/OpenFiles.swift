import CLMDB

/// The current file of an environment, its idle readers, and its previous files.
///
/// Snapshots need these fields often. Access through the file would cost more.
struct OpenFiles {
  /// A reset transaction, which may move to another thread under `MDB_NOTLS`.
  struct Reader: @unchecked Sendable {
    let handle: OpaquePointer
  }

  static let pooledReaders = 16

  /// Nil after the file has been closed.
  var current: MappedFile?
  /// The error because of which the file could not be reopened; nil if there was none.
  var failure: LMDBError?
  /// The environment handle of the file, as a number.
  var environment: UInt
  /// The number of current uses of the file.
  var users = 0
  var idle: [Reader] = []
  private var snapshots: UInt = 0
  private var lastLook: UInt64 = 0
  /// The last commit that was checked for a replacement record.
  var lastSeen = -1
  /// Replaced files that are still in use.
  var retired: [MappedFile] = []
  /// Whether one of them is the current data file with a removed lock file.
  var hasSuperseded: Bool { retired.contains(where: \.isSuperseded) }

  init(_ file: MappedFile?) {
    current = file
    environment = UInt(bitPattern: file?.handle)
    idle.reserveCapacity(Self.pooledReaders)
  }

  /// Whether it is time to check that the file is still the one at the path.
  ///
  /// A file that was moved away without a record is noticed after a tenth of a second, or after a
  /// few snapshots if they are rare.
  mutating func isDue() -> Bool {
    snapshots &+= 1
    guard snapshots & 7 == 0 else { return false }
    let now = feedcore_coarse_milliseconds()
    guard now &- lastLook >= 100 else { return false }
    lastLook = now
    return true
  }

  /// The file of a transaction's environment.
  func file(_ environment: UInt) -> MappedFile? {
    if environment == self.environment { return current }
    return retired.first { UInt(bitPattern: $0.handle) == environment }
  }

  /// Switches to another file and ends the idle readers of the current one.
  mutating func replaceFile(with file: MappedFile?) {
    for reader in idle { mdb_txn_abort(reader.handle) }
    if let current {
      current.users = users
      retired.append(current)
    }
    let retired = retired
    self = OpenFiles(file)
    self.retired = retired
  }

  /// Ends one use of a file; returns the file if it must be closed.
  mutating func end(_ file: MappedFile) -> MappedFile? {
    if file === current {
      users -= 1
      return nil
    }
    file.users -= 1
    return takeUnused(file)
  }

  mutating func takeUnused(_ file: MappedFile) -> MappedFile? {
    guard file.users == 0, let index = retired.firstIndex(where: { $0 === file }) else {
      return nil
    }
    return retired.remove(at: index)
  }
}
