import FeedRecord

/// The work before others get their turn.
struct SearchStep {
  private static let recordLimit = 4096
  /// A record may have many megabytes.
  private static let byteLimit = 4 << 20

  private var records = 0
  private var bytes = 0

  /// Whether the step continues with the record after this one.
  mutating func goesOn(behind record: borrowing RecordView) -> Bool {
    records += 1
    bytes += record.bytes.byteCount
    return records < Self.recordLimit && bytes < Self.byteLimit
  }
}
