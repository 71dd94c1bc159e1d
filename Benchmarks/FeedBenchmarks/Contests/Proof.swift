/// The work that a contestant did, as far as it knows. The proofs of all contestants must agree.
struct Proof: Equatable {
  /// The bytes of the document, decompressed.
  var bytes: Int?
  var records: Int?
  /// A sum over the data that was read. Each contest defines its meaning.
  var sum: UInt64?

  /// Whether the values that both proofs have are equal.
  func agrees(with other: Proof) -> Bool {
    func isSame<Value: Equatable>(_ left: Value?, _ right: Value?) -> Bool {
      left == nil || right == nil || left == right
    }
    return isSame(bytes, other.bytes) && isSame(records, other.records) && isSame(sum, other.sum)
  }

  /// Takes the values that this proof lacks from another.
  mutating func complete(from other: Proof) {
    bytes = bytes ?? other.bytes
    records = records ?? other.records
    sum = sum ?? other.sum
  }

  /// Whether the proof has no value.
  var isEmpty: Bool { self == Proof() }
}
