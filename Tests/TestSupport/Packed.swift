import CZlib
import CZstd

/// Compressed bytes, made by the libraries themselves.
package enum Packed {
  package struct Failure: Error {}

  /// One gzip member.
  package static func gzip(_ bytes: [UInt8], level: Int = 6) throws -> [UInt8] {
    try deflated(bytes, level: level, windowBits: MAX_WBITS + 16)
  }

  /// One zlib stream.
  package static func zlib(_ bytes: [UInt8]) throws -> [UInt8] {
    try deflated(bytes, level: 6, windowBits: MAX_WBITS)
  }

  private static func deflated(
    _ bytes: [UInt8], level: Int, windowBits: CInt
  ) throws -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard
      deflateInit2_(
        &stream, CInt(level), Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        == Z_OK
    else { throw Failure() }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))))
    let result = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = uInt(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = uInt(output.count)
        return deflate(&stream, Z_FINISH)
      }
    }
    guard result == Z_STREAM_END else { throw Failure() }
    return Array(output.dropLast(Int(stream.avail_out)))
  }

  /// One zstd frame with a checksum.
  ///
  /// - Parameter windowLog: the size of the window, as a power of two. With it, the frame omits its
  ///   content size.
  package static func zstd(_ bytes: [UInt8], windowLog: Int? = nil) throws -> [UInt8] {
    guard let context = ZSTD_createCCtx() else { throw Failure() }
    defer { ZSTD_freeCCtx(context) }
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    if let windowLog {
      ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, CInt(windowLog))
      ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0)
    }
    var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count) + 64)
    let capacity = output.count
    let count = output.withUnsafeMutableBytes { output in
      bytes.withUnsafeBytes { input in
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = ZSTD_outBuffer(dst: output.baseAddress, size: capacity, pos: 0)
        // A frame that is flushed before its end cannot state its content size.
        if windowLog != nil {
          _ = ZSTD_compressStream2(context, &target, &source, ZSTD_e_flush)
        }
        let result = ZSTD_compressStream2(context, &target, &source, ZSTD_e_end)
        return result == 0 ? target.pos : nil
      }
    }
    guard let count else { throw Failure() }
    return Array(output.prefix(count))
  }

  /// The content of one zstd frame, of at most `limit` bytes.
  package static func unzstd(_ bytes: [UInt8], limit: Int = 1 << 24) throws -> [UInt8] {
    var count = 0
    let output = [UInt8](unsafeUninitializedCapacity: limit) { space, given in
      count = ZSTD_decompress(space.baseAddress, limit, bytes, bytes.count)
      given = ZSTD_isError(count) == 0 ? count : 0
    }
    guard ZSTD_isError(count) == 0 else { throw Failure() }
    return output
  }

  /// A skippable zstd frame with any content.
  package static func skippable(_ bytes: [UInt8]) -> [UInt8] {
    let length = UInt32(bytes.count)
    return [0x5A, 0x2A, 0x4D, 0x18]
      + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * UInt32($0))) } + bytes
  }

  /// A gibibyte of spaces between two texts, compressed to a million bytes. Each mebibyte of spaces
  /// is one member or frame.
  package static func bomb(_ start: String, end: String, isGzip: Bool) throws -> [UInt8] {
    let pack: ([UInt8]) throws -> [UInt8] = { isGzip ? try gzip($0) : try zstd($0) }
    let spaces = try pack([UInt8](repeating: 0x20, count: 1 << 20))
    var packed = try pack(Array(start.utf8))
    for _ in 0..<1024 { packed += spaces }
    return packed + (try pack(Array(end.utf8)))
  }
}
