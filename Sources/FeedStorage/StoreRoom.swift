import LMDB

/// Sees to it that who writes stops in time: before the disk is so full that nothing can be removed
/// any more, and before one reader has made the file grow beyond a limit.
struct StoreRoom {
  private let environment: Environment
  private let growthLimit: Int?
  private let limitName: String
  private var bytesSinceLook = Int.max / 2

  /// - Parameters:
  ///   - growthLimit: see ``FeedDatabase/Options/fileBytesBesideReader``.
  ///   - limitName: by what a user can change it.
  init(
    _ environment: Environment, growthLimit: Int?, limitName: String = "--file-limit"
  ) {
    self.environment = environment
    self.growthLimit = growthLimit
    self.limitName = limitName
  }

  /// - Parameter bytes: those of the next batch, which is about to be written.
  /// - Throws: `diskFull`; `busy`, naming the reader's process.
  mutating func require(_ bytes: Int) throws(StoreError) {
    // The pages of the values, those of the trees above them, and what a sweep needs.
    let needed = bytes + bytes / 4 + StoreFormat.reserveBytes
    // Where address space is limited the map can be full long before the disk is.
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

  /// To be asked before anything is written: while a reader holds what was replaced, even the row of
  /// a generation that is refused at once makes the file grow.
  ///
  /// - Throws: `busy`, naming the reader's process.
  func refuseReader() throws(StoreError) { try refuseReader(look()) }

  /// To be asked before each of many small writes, of which only some look.
  ///
  /// - Throws: `busy`, naming the reader's process; the next write looks again then.
  mutating func refuseReader(beforeWriting bytes: Int) throws(StoreError) {
    bytesSinceLook += bytes
    guard bytesSinceLook >= StoreFormat.bytesBetweenLooks else { return }
    try refuseReader()
    bytesSinceLook = 0
  }

  private func look() throws(StoreError) -> EnvironmentRoom {
    do throws(LMDBError) { return try environment.room() } catch { throw StoreError(error) }
  }

  private func refuseReader(_ room: EnvironmentRoom) throws(StoreError) {
    let limit = growthLimit ?? StoreFormat.growthFloor + 4 * room.usedBytes
    guard room.fileBytes > limit, room.heldBytes > room.fileBytes - limit,
      let reader = room.oldestReader
    else { return }
    let name = reader.processName.map { " (\($0))" } ?? ""
    throw StoreError(
      .busy,
      "the process \(reader.process)\(name) keeps reading an old state, for which the file holds"
        + " \(room.heldBytes) bytes that were replaced; it has passed its limit of \(limit) bytes."
        + " End that reader, or raise the limit (\(limitName))",
      path: environment.path)
  }
}
