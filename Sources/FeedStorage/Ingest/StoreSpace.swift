import LMDB

/// Stops writers in time: before the disk is too full to remove anything, and before one reader
/// makes the file grow beyond a limit.
struct StoreSpace {
  private let environment: Environment
  private let growthLimit: Int?
  private let limitName: String
  private var bytesSinceCheck = Int.max / 2

  /// - Parameters:
  ///   - growthLimit: see ``FeedDatabase/Options/fileByteLimit``.
  ///   - limitName: the name of the option that changes the limit.
  init(
    _ environment: Environment, growthLimit: Int?, limitName: String = "--file-limit"
  ) {
    self.environment = environment
    self.growthLimit = growthLimit
    self.limitName = limitName
  }

  /// - Parameters:
  ///   - bytes: the bytes of the batch that is about to be written.
  ///   - pending: the bytes of submitted batches that may not be committed yet.
  /// - Throws: `diskFull`; `busy` with the reader's process in the message.
  mutating func require(_ bytes: Int, after pending: Int) throws(StoreError) {
    // The pages of the values, those of the trees above them, and the reserve for a sweep.
    let needed = (bytes + pending) * 5 / 4 + StoreFormat.reserveBytes
    // With limited address space the map can be full long before the disk is.
    let isTight = environment.freeDiskBytes < 4 * needed || environment.mapSize < 1 << 32
    bytesSinceCheck += bytes
    guard isTight || bytesSinceCheck >= StoreFormat.bytesBetweenSpaceChecks else { return }
    let space = try currentSpace()
    try refuseReader(space)
    guard space.reusableBytes + space.growthBytes >= needed else {
      throw StoreError(
        .diskFull,
        "the next write needs \(needed) bytes of space, and the disk or the map has"
          + " \(space.reusableBytes + space.growthBytes); free some space and try again",
        path: environment.path)
    }
    bytesSinceCheck = 0
  }

  /// Must be called before anything is written. While a reader holds replaced pages, even the row
  /// of a generation that is rejected at once makes the file grow.
  ///
  /// - Throws: `busy` with the reader's process in the message.
  func refuseReader() throws(StoreError) { try refuseReader(currentSpace()) }

  /// Must be called before each of many small writes; only some of the calls check.
  ///
  /// - Throws: `busy` with the reader's process in the message; the next write then checks again.
  mutating func refuseReader(beforeWriting bytes: Int) throws(StoreError) {
    bytesSinceCheck += bytes
    guard bytesSinceCheck >= StoreFormat.bytesBetweenSpaceChecks else { return }
    try refuseReader()
    bytesSinceCheck = 0
  }

  private func currentSpace() throws(StoreError) -> EnvironmentSpace {
    do throws(LMDBError) { return try environment.space() } catch { throw StoreError(error) }
  }

  private func refuseReader(_ space: EnvironmentSpace) throws(StoreError) {
    let limit = growthLimit ?? StoreFormat.growthFloor + 4 * space.usedBytes
    guard space.fileBytes > limit, space.pinnedBytes > space.fileBytes - limit,
      let reader = space.oldestReader
    else { return }
    let name = reader.processName.map { " (\($0))" } ?? ""
    throw StoreError(
      .busy,
      "the process \(reader.process)\(name) reads an old state, so the file retains"
        + " \(space.pinnedBytes) replaced bytes and exceeds its limit of \(limit) bytes."
        + " End that reader, or raise the limit (\(limitName))",
      path: environment.path)
  }
}
