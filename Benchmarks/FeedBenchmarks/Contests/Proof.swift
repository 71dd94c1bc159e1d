/// What a contestant has gone through, as far as it can tell: all have to tell the same.
struct Proof: Equatable {
  /// Bytes of the document, inflated.
  var bytes: Int?
  var records: Int?
  /// A sum over what was read, whose meaning is the contest's.
  var sum: UInt64?

  /// Whether nothing that both tell differs.
  func agrees(with other: Proof) -> Bool {
    func isSame<Value: Equatable>(_ left: Value?, _ right: Value?) -> Bool {
      left == nil || right == nil || left == right
    }
    return isSame(bytes, other.bytes) && isSame(records, other.records) && isSame(sum, other.sum)
  }

  /// Takes what it does not tell itself.
  mutating func complete(from other: Proof) {
    bytes = bytes ?? other.bytes
    records = records ?? other.records
    sum = sum ?? other.sum
  }

  /// Whether it tells nothing at all.
  var isEmpty: Bool { self == Proof() }
}
