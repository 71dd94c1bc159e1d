#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension RawSpan {
  /// Whether both have the same bytes.
  package func isEqual(to other: RawSpan) -> Bool {
    guard byteCount == other.byteCount else { return false }
    if byteCount == 0 { return true }
    return withUnsafeBytes { mine in
      other.withUnsafeBytes { theirs in
        guard let left = mine.baseAddress, let right = theirs.baseAddress else { return false }
        // Both pointers cover `byteCount` bytes, and the counts are equal.
        return memcmp(left, right, mine.count) == 0
      }
    }
  }
}
