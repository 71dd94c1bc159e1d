@_spi(Ingest) import FeedRecord
import LMDB

/// What a new generation starts from: its row, and the feed it adds to.
struct GenerationBase {
  let row: GenerationRow
  /// The generation an append adds to.
  private let appended: PublishedGeneration?
  private let keepsEqualRecords: Bool
  private let smallFeedBytes: Int

  init(
    _ row: GenerationRow, appended: PublishedGeneration?, keepsEqualRecords: Bool,
    smallFeedBytes: Int
  ) {
    self.row = row
    self.appended = appended
    self.keepsEqualRecords = keepsEqualRecords
    self.smallFeedBytes = smallFeedBytes
  }

  /// The generation whose records are written once more instead of listed:
  /// where that is little work, or where its segments have become too many.
  var copied: PublishedGeneration? {
    guard let appended else { return nil }
    let isSmall = appended.row.byteCount < UInt64(clamping: smallFeedBytes)
    let isFull = appended.row.segments.count >= StoreFormat.maximumSegments
    return isSmall || isFull ? appended : nil
  }

  /// The segments that the new generation shares with the old one.
  var keptSegments: [Segment] { copied == nil ? appended?.row.segments ?? [] : [] }

  /// Whether records have to be compared with stored ones at all.
  var comparesRecords: Bool { appended != nil && !keepsEqualRecords }

  /// Whether an equal record is stored in the feed that is added to.
  func contains(
    _ record: RawSpan, isWide: Bool, keyHash: UInt64, _ tables: StoreTables
  ) throws(StoreError) -> Bool {
    guard comparesRecords, let appended else { return false }
    return try tables.environment.read { transaction throws(StoreError) in
      for segment in appended.row.segments.indices {
        let lookup = KeyLookup(appended.readers[segment])
        let isMissing = try lookup.forEach(keyHash: keyHash, transaction) {
          block, stored, _ throws(StoreError) in
          if block.isOld { return try !isEqual(stored, to: record, isWide: isWide) }
          return !(block.isWide == isWide && stored.bytes.isEqual(to: record))
        }
        if !isMissing { return true }
      }
      return false
    }
  }

  /// Whether a record that an older version has stored says the same as one of today.
  private func isEqual(
    _ stored: RecordView, to record: RawSpan, isWide: Bool
  ) throws(StoreError) -> Bool {
    var encoder = RecordEncoder(layout: row.layout)
    do throws(RecordError) {
      try encoder.append(copying: stored, keyHash: 0)
    } catch {
      throw StoreError(error)
    }
    return encoder.isWide(at: 0) == isWide && encoder.bytes(at: 0).isEqual(to: record)
  }
}
