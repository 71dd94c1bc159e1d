import CXXHash

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension RawSpan {
  /// A little-endian integer at `offset`, at any alignment.
  ///
  /// The caller has checked that it lies inside. The standard library checks again, so a wrong
  /// check traps and never reads out of bounds.
  @inlinable @inline(__always)
  func loadInteger<Value: FixedWidthInteger & BitwiseCopyable>(
    _ offset: Int, as type: Value.Type
  ) -> Value {
    Value(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
  }

  /// The element at `index` of an array of end offsets at `offset`, which the caller has checked to
  /// lie inside.
  @inlinable @inline(__always)
  func loadOffset(_ index: Int, from offset: Int, _ width: OffsetWidth) -> Int {
    switch width {
    case .short: Int(loadInteger(offset + index, as: UInt8.self))
    case .narrow: Int(loadInteger(offset + (index << 1), as: UInt16.self))
    case .wide: Int(loadInteger(offset + (index << 2), as: UInt32.self))
    }
  }

  /// The last element of an array of end offsets at `offset`, which the caller has checked to lie
  /// inside. Nil if the offsets are not ascending, 0 if there are none.
  @inlinable
  func lastOffset(ofOrdered count: Int, from offset: Int, _ width: OffsetWidth) -> Int? {
    switch width {
    case .short: lastInteger(ofOrdered: count, from: offset, as: UInt8.self)
    case .narrow: lastInteger(ofOrdered: count, from: offset, as: UInt16.self)
    case .wide: lastInteger(ofOrdered: count, from: offset, as: UInt32.self)
    }
  }

  // A separate loop for each width: branching on it at each offset costs more than the rest.
  @inlinable @inline(__always)
  func lastInteger<Value: FixedWidthInteger & BitwiseCopyable>(
    ofOrdered count: Int, from offset: Int, as type: Value.Type
  ) -> Int? {
    var last: Value = 0
    var position = offset
    for _ in 0..<count {
      let next = loadInteger(position, as: type)
      guard last <= next else { return nil }
      last = next
      position += MemoryLayout<Value>.size
    }
    return Int(truncatingIfNeeded: last)
  }

  /// Whether both spans hold the same bytes.
  package func hasSameBytes(as other: RawSpan) -> Bool {
    guard byteCount == other.byteCount else { return false }
    return withUnsafeBytes { left in
      other.withUnsafeBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        // Both buffers have `byteCount` bytes, as checked above.
        return memcmp(left, right, byteCount) == 0
      }
    }
  }
}

/// The unit in which the processor fetches memory.
enum CacheLine {
  static let byteCount = 64
}

extension RawSpan {
  /// Prefetches the cache lines of a range, without waiting. Bytes outside the span are skipped.
  package func prefetch(_ range: Range<Int>) {
    let range = range.clamped(to: 0..<byteCount)
    if range.isEmpty { return }
    withUnsafeBytes { bytes in
      let start = UInt(bitPattern: bytes.baseAddress)
      let line = UInt(CacheLine.byteCount)
      var address = (start + UInt(range.lowerBound)) / line * line
      while address < start + UInt(range.upperBound) {
        feedcore_prefetch(UnsafeRawPointer(bitPattern: address))
        address += line
      }
    }
  }
}
