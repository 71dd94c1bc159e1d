extension RawSpan {
  /// A big-endian integer at an offset; nil where the bytes end before it does.
  @inlinable
  package func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Value.Type
  ) -> Value? {
    let size = MemoryLayout<Value>.size
    guard offset >= 0, offset <= byteCount - size else { return nil }
    // Any bit pattern is an integer, and the bytes lie inside.
    return Value(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
  }

  /// The same of a little-endian one.
  @inlinable
  package func littleEndian<Value: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Value.Type
  ) -> Value? {
    bigEndian(at: offset, as: type)?.byteSwapped
  }
}

extension [UInt8] {
  /// A copy of bytes that are only lent.
  @inlinable
  package init(copying bytes: RawSpan) {
    self = bytes.withUnsafeBytes { Array($0) }
  }

  /// Adds a copy of bytes that are only lent.
  @inlinable
  package mutating func append(copying bytes: RawSpan) {
    bytes.withUnsafeBytes { append(contentsOf: $0) }
  }

  /// Puts a copy of bytes that are only lent in the place of as many others, which have to be there.
  @inlinable
  package mutating func replace(from index: Int, copying bytes: RawSpan) {
    precondition(index >= 0 && bytes.byteCount <= count - index)
    // Both sides have so many bytes, and nobody else writes to these.
    withUnsafeMutableBytes { target in
      bytes.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: target[index..<index + bytes.count])
          .copyMemory(from: bytes)
      }
    }
  }
}
