@_spi(Ingest) import FeedRecord
import LMDB

/// The starting point of a new generation: its row, and the feed it adds to.
struct GenerationBase {
  let row: GenerationRow
  /// The text of the schema; empty if none is stored.
  let schema: [UInt8]
  /// The generation that an append adds to.
  private let appended: PublishedGeneration?
  private let keepsEqualRecords: Bool
  private let smallFeedBytes: Int
  /// Whether the feed has an earlier version of its contract.
  private let isOfOtherLayout: Bool
  private let sources: FieldSources
  private var repeated = RepeatedRecords()

  init(
    _ row: GenerationRow, schema: [UInt8], appended: PublishedGeneration?,
    keepsEqualRecords: Bool, smallFeedBytes: Int
  ) {
    self.row = row
    self.schema = schema
    self.appended = appended
    self.keepsEqualRecords = keepsEqualRecords
    self.smallFeedBytes = smallFeedBytes
    let stored = appended?.row.layout ?? row.layout
    isOfOtherLayout = stored != row.layout
    sources = FieldSources(of: row.layout, in: stored)
  }

  /// The generation whose records are rewritten instead of listed. That happens if it is small, if
  /// it has too many segments, or if its records lack fields of the contract or indexes of the
  /// feed.
  var copied: PublishedGeneration? {
    guard let appended else { return nil }
    let isSmall = appended.row.byteCount < UInt64(clamping: smallFeedBytes)
    let isFull = appended.row.segments.count >= StoreFormat.maximumSegments
    let needsNewIndexes = appended.row.indexedFields != row.indexedFields
    return isSmall || isFull || isOfOtherLayout || needsNewIndexes ? appended : nil
  }

  /// The segments that the new generation shares with the old one.
  var keptSegments: [Segment] { copied == nil ? appended?.row.segments ?? [] : [] }

  /// For each of these segments, the number of blocks of each index.
  var keptIndexBlockCounts: [[UInt32]] {
    copied == nil ? appended?.row.details.indexBlockCounts ?? [] : []
  }

  /// Whether the generation adds to a feed.
  var isAppended: Bool { appended != nil }

  /// The text around the records of the feed that is added to, and the offset of the records in it.
  var keptEnvelope: (text: [UInt8], insertion: Int)? {
    guard let appended, appended.row.details.envelopeChunks == 0 else { return nil }
    return (appended.description.envelope, appended.description.envelopeInsertion)
  }

  /// The number of parts of that text if it is stored in parts, and of those before the records.
  var keptEnvelopeChunks: (count: UInt32, before: UInt32)? {
    guard let row = appended?.row, row.details.envelopeChunks > 0 else { return nil }
    return (row.details.envelopeChunks, row.envelopeInsertion)
  }

  /// Whether records have to be compared with stored ones.
  var comparesRecords: Bool { appended != nil && !keepsEqualRecords }

  /// Whether an equal record is stored in the feed that is added to.
  ///
  /// - Parameters:
  ///   - record: a record of the generation's layout
  ///   - isWide: whether its offsets have 32 bits
  ///   - keyHash: `KeyHash` of its key's bytes
  mutating func contains(
    _ record: RawSpan, isWide: Bool, keyHash: UInt64, _ tables: StoreTables
  ) throws(StoreError) -> Bool {
    guard comparesRecords, let appended else { return false }
    return try tables.environment.read { transaction throws(StoreError) in
      if repeated.hasRecords(keyHash: keyHash) {
        for location in repeated.locations(of: record, keyHash: keyHash) {
          let lookup = SegmentLookup(appended.readers[location.segment])
          var isFound = false
          try lookup.visitRecord(at: location.ordinal, transaction) {
            block, stored throws(StoreError) in
            isFound = try isEqual(stored, of: block, to: record, isWide: isWide)
          }
          if isFound { return true }
        }
        return false
      }
      var comparisons = 0
      let isMissing = try forEachStored(keyHash: keyHash, transaction) {
        block, stored, _ throws(StoreError) in
        comparisons += 1
        return try !isEqual(stored, of: block, to: record, isWide: isWide)
      }
      if comparisons >= RepeatedRecords.manyRecords {
        try cacheLocations(keyHash: keyHash, transaction)
      }
      return !isMissing
    }
  }

  /// Caches the positions of all records that may have a key.
  private mutating func cacheLocations(
    keyHash: UInt64, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) {
    guard repeated.hasSpace, !repeated.hasRecords(keyHash: keyHash) else { return }
    var locations = repeated.makeLocations()
    try forEachStored(keyHash: keyHash, transaction) { block, stored, location throws(StoreError) in
      try withBytes(of: stored, block) { bytes, _ in locations.add(bytes, at: location) }
      return locations.isComplete
    }
    repeated.insert(locations, keyHash: keyHash)
  }

  /// Calls `body` with every stored record whose key may have this hash, until it returns false.
  ///
  /// - Returns: false if `body` stopped it
  @discardableResult
  private func forEachStored(
    keyHash: UInt64, _ transaction: borrowing ReadTransaction,
    _ body: (BlockView, RecordView, RepeatedRecords.RecordLocation) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    guard let appended else { return true }
    for segment in appended.readers.indices {
      let lookup = SegmentLookup(appended.readers[segment])
      let isComplete = try lookup.forEach(keyHash: keyHash, transaction) {
        block, stored, ordinal throws(StoreError) in
        try body(block, stored, RepeatedRecords.RecordLocation(segment: segment, ordinal: ordinal))
      }
      guard isComplete else { return false }
    }
    return true
  }

  private func isEqual(
    _ stored: RecordView, of block: BlockView, to record: RawSpan, isWide: Bool
  ) throws(StoreError) -> Bool {
    try withBytes(of: stored, block) { bytes, isStoredWide in
      isStoredWide == isWide && bytes.isEqual(to: record)
    }
  }

  /// The bytes of a stored record in the current encoding, and whether its offsets have 32 bits. A
  /// record of an older format or contract version is encoded again.
  private func withBytes<R>(
    of stored: RecordView, _ block: BlockView, _ body: (RawSpan, Bool) -> R
  ) throws(StoreError) -> R {
    guard block.isOld || isOfOtherLayout else { return body(stored.bytes, block.isWide) }
    var encoder = RecordEncoder(layout: row.layout)
    do throws(RecordError) {
      try encoder.append(copying: stored, from: sources, keyHash: 0)
    } catch {
      throw StoreError(error)
    }
    return body(encoder.bytes(at: 0), encoder.isWide(at: 0))
  }
}
