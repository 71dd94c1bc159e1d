import CXXHash

/// What the processor fetches from memory at once.
enum CacheLine {
  static let byteCount = 64
}

extension RawSpan {
  /// Has the processor fetch the lines in which some bytes lie, and does not wait for them. What lies
  /// outside is left out.
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
