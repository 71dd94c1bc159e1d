import CIsal
import CZstd

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Compresses a stream of bytes chunk by chunk, at the fastest levels.
package final class PackedStream {
  /// The compressed format.
  package enum Format: Sendable {
    /// One gzip member (RFC 1952).
    case gzip
    /// One zstd frame (RFC 8878).
    case zstd
  }

  /// Memory ran out, or a library reported an error.
  package struct Failure: Error {}

  private enum Packer {
    case gzip(UnsafeMutablePointer<feedcore_deflate>)
    case zstd(OpaquePointer)
  }

  /// The output bytes of one library call.
  private static let step = 32 << 10

  private let packer: Packer

  package init(_ format: Format) throws(Failure) {
    switch format {
    case .gzip:
      guard let stream = feedcore_deflate_create() else { throw Failure() }
      packer = .gzip(stream)
    case .zstd:
      guard let context = ZSTD_createCCtx() else { throw Failure() }
      ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1)
      packer = .zstd(context)
    }
  }

  deinit {
    switch packer {
    case .gzip(let stream): free(stream)
    case .zstd(let context): ZSTD_freeCCtx(context)
    }
  }

  /// Compresses a whole chunk and returns the output so far; for the last chunk, all that is left.
  package func pack(_ bytes: [UInt8], isLast: Bool) throws(Failure) -> [UInt8] {
    var output: [UInt8] = []
    // The libraries read the borrowed bytes only during the calls.
    let isDone = bytes.withUnsafeBytes { input in
      switch packer {
      case .gzip(let stream): Self.deflate(input, isLast, with: stream, &output)
      case .zstd(let context): Self.compress(input, isLast, with: context, &output)
      }
    }
    guard isDone else { throw Failure() }
    return output
  }

  private static func deflate(
    _ input: UnsafeRawBufferPointer, _ isLast: Bool,
    with stream: UnsafeMutablePointer<feedcore_deflate>, _ output: inout [UInt8]
  ) -> Bool {
    guard let count = UInt32(exactly: input.count) else { return false }
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = count
    while true {
      var code = COMP_OK
      output += [UInt8](unsafeUninitializedCapacity: step) { space, given in
        stream.pointee.next_out = space.baseAddress
        stream.pointee.avail_out = UInt32(step)
        code = feedcore_deflate_step(stream, isLast ? 1 : 0)
        given = step - Int(stream.pointee.avail_out)
      }
      guard code == COMP_OK else { return false }
      let isDone = isLast ? feedcore_deflate_is_done(stream) != 0 : stream.pointee.avail_out > 0
      if isDone { return true }
    }
  }

  private static func compress(
    _ input: UnsafeRawBufferPointer, _ isLast: Bool, with context: OpaquePointer,
    _ output: inout [UInt8]
  ) -> Bool {
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    while true {
      var rest = 0
      output += [UInt8](unsafeUninitializedCapacity: step) { space, given in
        var target = ZSTD_outBuffer(dst: space.baseAddress, size: step, pos: 0)
        rest = ZSTD_compressStream2(
          context, &target, &source, isLast ? ZSTD_e_end : ZSTD_e_continue)
        given = target.pos
      }
      guard ZSTD_isError(rest) == 0 else { return false }
      if isLast ? rest == 0 : source.pos == source.size { return true }
    }
  }
}
