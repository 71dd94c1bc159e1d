import CXXHash

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
