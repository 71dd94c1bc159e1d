/// What one write transaction has changed so far, and the bounds of it.
///
/// Every page that a transaction changes stays in memory until its commit, and a long list of
/// changed pages makes each further change slower.
struct WriteTally {
  static let maximumBytes = 32 << 20
  static let maximumOperations = 5_000

  private(set) var byteCount = 0
  private var operations = 0
  private var largest = 0

  var isEmpty: Bool { operations == 0 }

  /// Counts a value that is set; false where that is more than one transaction may change.
  ///
  /// One value may be of any size: the others are what is bounded.
  mutating func put(_ bytes: Int) -> Bool {
    byteCount += bytes
    largest = max(largest, bytes)
    return change() && byteCount - largest <= Self.maximumBytes
  }

  /// Counts an entry that is removed; false where that is one too many.
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
