import CFeedTools
import FeedRecord
import FeedStorage

/// Copies of all records of a feed with their keys, for a peer.
struct PeerRecords {
  private(set) var bytes: [UInt8] = []
  var entries: [feedpeer_entry] = []

  /// Makes a list without records.
  init() {}

  init(of feed: Feed) throws(StoreError) {
    let field = KeyField(feed.description.keyField, of: feed.description.layout)
    bytes.reserveCapacity(feed.description.storedBytes)
    entries.reserveCapacity(feed.description.recordCount)
    try feed.scan { record, _ throws(StoreError) in
      try append(record, field)
      return true
    }
  }

  /// Adds a value under a key.
  mutating func append(_ value: RawSpan, under key: RawSpan) {
    let start = bytes.count
    append(key)
    append(value)
    entries.append(
      feedpeer_entry(
        start: start, key_count: UInt32(clamping: key.byteCount),
        record_count: UInt32(clamping: value.byteCount), is_stored: false))
  }

  private mutating func append(_ record: RecordView, _ field: KeyField) throws(StoreError) {
    let start = bytes.count
    do throws(RecordError) {
      try field.forEachKey(of: record) { append($0) }
    } catch {
      throw StoreError(.damaged, error.message)
    }
    let end = bytes.count
    append(record.bytes)
    entries.append(
      feedpeer_entry(
        start: start, key_count: UInt32(clamping: end - start),
        record_count: UInt32(clamping: bytes.count - end), is_stored: false))
  }

  private mutating func append(_ span: RawSpan) {
    span.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  /// The key of a record.
  func key(_ entry: feedpeer_entry) -> ArraySlice<UInt8> {
    bytes[entry.start..<entry.start + Int(entry.key_count)]
  }

  /// The sums of the keys and of the records that the peer does not hold.
  func sumsLeftOut() -> (keys: UInt64, records: UInt64) {
    var sums: (keys: UInt64, records: UInt64) = (0, 0)
    bytes.withUnsafeBytes { bytes in
      for entry in entries where !entry.is_stored {
        let (key, record) = (Int(entry.key_count), Int(entry.record_count))
        let whole = UnsafeRawBufferPointer(
          rebasing: bytes[entry.start..<entry.start + key + record])
        sums.keys &+= feedpeer_sum(whole.baseAddress, key)
        sums.records &+= feedpeer_sum(whole.baseAddress.map { $0 + key }, record)
      }
    }
    return sums
  }
}
