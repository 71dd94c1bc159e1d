/// A target of libFuzzer: it accepts any bytes, and traps on a defect.
protocol FuzzTarget {
  static func take(_ input: RawSpan)

  /// The initial inputs.
  static func corpus(_ seeds: SeedDocuments) -> [[UInt8]]
}

extension FuzzTarget {
  /// Takes an input from libFuzzer. Its memory is exactly as long as the input, so the address
  /// sanitizer reports every read outside.
  static func enter(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    take(UnsafeRawBufferPointer(start: bytes, count: count).bytes)
    return 0
  }
}
