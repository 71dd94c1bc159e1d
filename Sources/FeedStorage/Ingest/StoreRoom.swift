import LMDB

/// Stops writers in time: before the disk is too full to remove anything, and before one reader
/// makes the file grow beyond a limit.
struct StoreRoom {
  private let environment: Environment
  private let growthLimit: Int?
  private let limitName: String
  private var bytesSinceLook = Int.max / 2

  /// - Parameters:
  ///   - growthLimit: see ``FeedDatabase/Options/fileBytesBesideReader``.
  ///   - limitName: the name of the option that changes the limit.
  init(
    _ environment: Environment, growthLimit: Int?, limitName: String = "--file-limit"
  ) {
    self.environment = environment
    self.growthLimit = growthLimit
    self.limitName = limitName
  }

  /// - Parameter bytes: the bytes of the batch that is about to be written.
  /// - Throws: `diskFull`; `busy` with the reader's process in the message.
  mutating func require(_ bytes: Int) throws(StoreError) {
    // The pages of the values, those of the trees above them, and the reserve for a sweep.
    let needed = bytes + bytes / 4 + StoreFormat.reserveBytes
    // With limited address space the map can be full long before the disk is.
    let isTight = environment.freeDiskBytes < 4 * needed || environment.mapSize < 1 << 32
    bytesSinceLook += bytes
    guard isTight || bytesSinceLook >= StoreFormat.bytesBetweenLooks else { return }
    bytesSinceLook = 0
    let room = try look()
    try refuseReader(room)
    guard room.reusableBytes + room.growthBytes >= needed else {
      throw StoreError(
        .diskFull,
        "the next write needs room for \(needed) bytes, and the disk or the map has room for"
          + " \(room.reusableBytes + room.growthBytes); free some space and try again",
        path: environment.path)
    }
  }

  /// Must be called before anything is written. While a reader holds replaced pages, even the row
  /// of a generation that is rejected at once makes the file grow.
  ///
  /// - Throws: `busy` with the reader's process in the message.
  func refuseReader() throws(StoreError) { try refuseReader(look()) }

  /// Must be called before each of many small writes; only some of the calls check.
  ///
  /// - Throws: `busy` with the reader's process in the message; the next write then checks again.
  mutating func refuseReader(beforeWriting bytes: Int) throws(StoreError) {
    bytesSinceLook += bytes
    guard bytesSinceLook >= StoreFormat.bytesBetweenLooks else { return }
    try refuseReader()
    bytesSinceLook = 0
  }

  private func look() throws(StoreError) -> EnvironmentSpace {
    do throws(LMDBError) { return try environment.space() } catch { throw StoreError(error) }
  }

  private func refuseReader(_ room: EnvironmentSpace) throws(StoreError) {
    let limit = growthLimit ?? StoreFormat.growthFloor + 4 * room.usedBytes
    guard room.fileBytes > limit, room.pinnedBytes > room.fileBytes - limit,
      let reader = room.oldestReader
    else { return }
    let name = reader.processName.map { " (\($0))" } ?? ""
    throw StoreError(
      .busy,
      "the process \(reader.process)\(name) keeps reading an old state, for which the file holds"
        + " \(room.pinnedBytes) bytes that were replaced; it has passed its limit of \(limit) bytes."
        + " End that reader, or raise the limit (\(limitName))",
      path: environment.path)
  }
}
