/// Inlined copying of short texts, the main content of records.
///
/// Up to 32 bytes are moved by two loads and two stores that may overlap. Compared to `memcpy`,
/// this saves a sixth of the time to encode a record of nine texts of 2 to 45 bytes.
@usableFromInline
enum ShortCopy {
  /// Copies `count` bytes. The caller has checked that both sides have that many and do not
  /// overlap.
  ///
  /// Every access lies in 0..<count on both sides: a branch for at least n bytes reads n bytes at 0
  /// and n bytes at count - n.
  @inlinable @inline(__always)
  static func copy(
    _ source: UnsafeRawPointer, _ count: Int, to target: UnsafeMutableRawPointer
  ) {
    if count > 32 {
      target.copyMemory(from: source, byteCount: count)
    } else if count >= 16 {
      copyEnds(source, count, to: target, as: SIMD16<UInt8>.self)
    } else if count >= 8 {
      copyEnds(source, count, to: target, as: UInt64.self)
    } else if count >= 4 {
      copyEnds(source, count, to: target, as: UInt32.self)
    } else if count >= 2 {
      copyEnds(source, count, to: target, as: UInt16.self)
    } else if count == 1 {
      target.storeBytes(of: source.load(as: UInt8.self), as: UInt8.self)
    }
  }

  /// Copies `count` bytes, where `count` is between one and two sizes of `Word`.
  @inlinable @inline(__always)
  static func copyEnds<Word: BitwiseCopyable>(
    _ source: UnsafeRawPointer, _ count: Int, to target: UnsafeMutableRawPointer,
    as type: Word.Type
  ) {
    let last = count - MemoryLayout<Word>.size
    let head = source.loadUnaligned(as: type)
    let tail = source.loadUnaligned(fromByteOffset: last, as: type)
    target.storeBytes(of: head, as: type)
    target.storeBytes(of: tail, toByteOffset: last, as: type)
  }
}
