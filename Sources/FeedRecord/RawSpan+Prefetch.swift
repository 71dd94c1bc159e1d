import CXXHash

extension RawSpan {
  /// Bytes of a line of the processor's caches.
  static var lineByteCount: Int { 64 }

  /// Has the processor fetch the lines in which some bytes lie, and does not wait for them. What lies
  /// outside is left out.
  package func prefetch(_ range: Range<Int>) {
    let range = range.clamped(to: 0..<byteCount)
    if range.isEmpty { return }
    withUnsafeBytes { bytes in
      let start = UInt(bitPattern: bytes.baseAddress)
      let line = UInt(Self.lineByteCount)
      var address = (start + UInt(range.lowerBound)) / line * line
      while address < start + UInt(range.upperBound) {
        feedcore_prefetch(UnsafeRawPointer(bitPattern: address))
        address += line
      }
    }
  }
}
