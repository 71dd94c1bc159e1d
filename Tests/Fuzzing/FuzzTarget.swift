/// Something that libFuzzer attacks: it takes any bytes, and traps if they do it harm.
protocol FuzzTarget {
  static func take(_ input: RawSpan)

  /// Inputs to begin with.
  static func corpus(_ seeds: SeedDocuments) -> [[UInt8]]
}

extension FuzzTarget {
  /// Takes an input from libFuzzer. Its memory is exactly as long as the input, so that the
  /// address sanitizer sees every read outside.
  static func enter(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    take(UnsafeRawBufferPointer(start: bytes, count: count).bytes)
    return 0
  }
}
