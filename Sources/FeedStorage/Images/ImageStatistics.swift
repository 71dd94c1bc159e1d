import LMDB

/// What an image store holds and occupies.
public struct ImageStatistics: Hashable, Sendable {
  /// Images, the expired ones too.
  public let imageCount: Int
  /// The bytes of the images themselves.
  public let byteCount: Int
  /// The bytes of the pages that hold them and all that is kept to find them: never above the cap.
  public let occupiedBytes: Int
  /// What the store may occupy.
  public let byteCap: Int
  /// The size of the data file.
  public let fileBytes: Int
  /// The part of the file that is free for what comes next.
  public let freeBytes: Int
  /// Images that were ever stored.
  public let insertions: Int
  /// Images that had to leave for others.
  public let evictions: Int
  /// Reads that got their image and reads that did not, by whatever process; nil where the file in
  /// which they are counted cannot be used.
  public let lookups: StoreStatistics.Lookups?
}

extension ImageStore {
  /// What the store holds and occupies. Cost: one walk of the list of free pages.
  public func statistics() throws(StoreError) -> ImageStatistics {
    let environment: EnvironmentStatistics
    do throws(LMDBError) {
      environment = try tables.environment.statistics()
    } catch {
      throw StoreError(error)
    }
    return try tables.environment.read { transaction throws(StoreError) in
      let totals = try tables.totals(transaction)
      return ImageStatistics(
        imageCount: Int(clamping: totals.imageCount), byteCount: Int(clamping: totals.byteCount),
        occupiedBytes: try tables.occupiedBytes(transaction),
        byteCap: Int(clamping: totals.byteCap), fileBytes: environment.fileBytes,
        freeBytes: environment.freePages * environment.pageSize,
        insertions: Int(clamping: totals.insertions), evictions: Int(clamping: totals.evictions),
        lookups: access.counters.lookups)
    }
  }
}
