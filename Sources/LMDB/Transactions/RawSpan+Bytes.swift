#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension RawSpan {
  /// A big-endian integer at an offset; nil if it does not fit in the bytes.
  @inlinable
  package func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Value.Type
  ) -> Value? {
    let size = MemoryLayout<Value>.size
    guard offset >= 0, offset <= byteCount - size else { return nil }
    // Any bit pattern is a valid integer, and the bytes lie inside the span.
    return Value(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
  }

  /// A little-endian integer at an offset; nil if it does not fit in the bytes.
  @inlinable
  package func littleEndian<Value: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Value.Type
  ) -> Value? {
    bigEndian(at: offset, as: type)?.byteSwapped
  }
}

extension [UInt8] {
  /// Copies borrowed bytes.
  @inlinable
  package init(copying bytes: RawSpan) {
    self = bytes.withUnsafeBytes { Array($0) }
  }

  /// Appends a copy of borrowed bytes.
  @inlinable
  package mutating func append(copying bytes: RawSpan) {
    bytes.withUnsafeBytes { append(contentsOf: $0) }
  }

  /// Overwrites existing bytes with a copy of borrowed ones. The range must exist.
  @inlinable
  package mutating func replace(from index: Int, copying bytes: RawSpan) {
    precondition(index >= 0 && bytes.byteCount <= count - index)
    // Both sides have this number of bytes, and the access to the target is exclusive.
    withUnsafeMutableBytes { target in
      bytes.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: target[index..<index + bytes.count])
          .copyMemory(from: bytes)
      }
    }
  }
}

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
