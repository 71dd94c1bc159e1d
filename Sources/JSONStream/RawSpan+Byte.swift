extension RawSpan {
  /// The byte at an offset; bounds-checked.
  @inlinable package func byte(at offset: Int) -> UInt8 {
    unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}
