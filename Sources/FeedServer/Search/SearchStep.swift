import FeedRecord

/// How much is looked at before others have their turn.
struct SearchStep {
  private static let recordLimit = 4096
  /// Records may be of many megabytes each.
  private static let byteLimit = 4 << 20

  private var records = 0
  private var bytes = 0

  /// Whether it goes on with the record behind this one.
  mutating func goesOn(behind record: borrowing RecordView) -> Bool {
    records += 1
    bytes += record.bytes.byteCount
    return records < Self.recordLimit && bytes < Self.byteLimit
  }
}
