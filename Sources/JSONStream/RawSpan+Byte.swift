extension RawSpan {
  /// The byte at an offset, bounds-checked. Public as SPI, so that it is inlined.
  @_spi(Records) @inlinable @inline(__always) public func byte(at offset: Int) -> UInt8 {
    unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}
