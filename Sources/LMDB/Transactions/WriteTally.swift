/// The changes of one write transaction so far, and their limits.
///
/// All changed pages stay in memory until the commit, and a long list of them slows each further
/// change.
struct WriteTally {
  static let maximumBytes = 32 << 20
  static let maximumOperations = 5_000

  private(set) var byteCount = 0
  private var operations = 0
  private var largest = 0

  var isEmpty: Bool { operations == 0 }

  /// Counts a value to be set; returns false if that exceeds the limit of one transaction.
  ///
  /// The largest value is exempt: the limit applies to the sum of the others.
  mutating func put(_ bytes: Int) -> Bool {
    byteCount += bytes
    largest = max(largest, bytes)
    return change() && byteCount - largest <= Self.maximumBytes
  }

  /// Counts an entry to be removed; returns false if that exceeds the limit.
  mutating func change() -> Bool {
    operations += 1
    return operations <= Self.maximumOperations
  }
}

extension LMDBError {
  static func tooMuch(_ path: String) -> LMDBError {
    LMDBError(
      .transactionFull,
      "one write changes at most \(WriteTally.maximumOperations) entries and sets"
        + " \(WriteTally.maximumBytes >> 20) MiB beside its largest value; write in smaller ones",
      path: path)
  }
}
