import LMDB

/// The contents of an image store and the space it occupies.
public struct ImageStatistics: Hashable, Sendable {
  /// The number of images, including expired ones.
  public let imageCount: Int
  /// The total size of the images in bytes.
  public let byteCount: Int
  /// The bytes of the pages with the images and their rows; never above the cap.
  public let occupiedBytes: Int
  /// The limit of the occupied bytes.
  public let byteCap: Int
  /// The size of the data file in bytes.
  public let fileBytes: Int
  /// The free part of the file in bytes.
  public let freeBytes: Int
  /// The number of images that were ever stored.
  public let insertions: Int
  /// The number of images evicted for others.
  public let evictions: Int
  /// Reads that found their image and reads that did not, of all processes; nil if the file with
  /// the counters cannot be used.
  public let lookups: StoreStatistics.Lookups?
}

extension ImageStore {
  /// The contents and the occupied space of the store. Cost: one walk of the free list.
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
