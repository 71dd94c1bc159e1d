import CLMDB

/// The file an environment stands on, its readers that wait, and the files it stood on before.
///
/// What a snapshot needs stands here and not in the file, where each access would cost more.
struct OpenFiles {
  /// A reset transaction, which may move to another thread under `MDB_NOTLS`.
  struct Reader: @unchecked Sendable {
    let handle: OpaquePointer
  }

  static let pooledReaders = 16

  /// Nil once the file has been closed.
  var current: MappedFile?
  /// What kept the file from being opened again, if that is why there is none.
  var failure: LMDBError?
  /// That of the file, as a number.
  var environment: UInt
  /// Who is using the file right now.
  var users = 0
  var idle: [Reader] = []
  private var snapshots: UInt = 0
  private var lastLook: UInt64 = 0
  /// The last commit in which somebody looked for a record of replacement.
  var lastSeen = -1
  /// Replaced files that are still being used.
  var retired: [MappedFile] = []

  init(_ file: MappedFile?) {
    current = file
    environment = UInt(bitPattern: file?.handle)
    idle.reserveCapacity(Self.pooledReaders)
  }

  /// Whether it is time to look whether the file is still the one at the path.
  ///
  /// One that was moved away without a record of it is noticed after a tenth of a second, or
  /// after a few snapshots where they are rare.
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

  /// Goes on with another file, and ends the readers of this one that wait.
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

  /// Ends one use of a file; returns it where it is to be closed.
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
