import CIsal

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Inflates consecutive gzip members (RFC 1952) and skips zeros after the last one.
///
/// Uses ISA-L, which inflates JSON more than twice as fast as zlib: with zlib, the one inflating
/// thread limits the speed of a compressed input.
final class GzipDecoder: StreamDecoder {
  private enum GzipPhase {
    case header
    case member
    /// After a member: another one, zeros or the end may follow.
    case between
    case padding
  }

  // The state is too large for a stack frame, and it remembers where it has written.
  private let stream: UnsafeMutablePointer<feedcore_inflate>
  private var phase = GzipPhase.header
  private var isFirst = true

  init() throws(DecodingFault) {
    guard let stream = feedcore_inflate_create() else { throw .outOfMemory() }
    self.stream = stream
  }

  deinit { free(stream) }

  func decode(
    _ input: inout UnsafeRawBufferPointer, into space: inout UnsafeMutableRawBufferPointer
  ) throws(DecodingFault) {
    if phase == .between, let first = input.first { try begin(first) }
    switch phase {
    case .between: return
    case .padding: try skipZeros(&input)
    case .header: try readHeader(&input)
    case .member: try inflateMember(&input, into: &space)
    }
  }

  func finish() throws(DecodingFault) {
    guard phase == .header || phase == .member else { return }
    throw DecodingFault("the gzip data ends early: it is cut off")
  }

  private func begin(_ byte: UInt8) throws(DecodingFault) {
    switch byte {
    case 0:
      phase = .padding
    case 0x1F:
      feedcore_inflate_begin(stream)
      isFirst = false
      phase = .header
    default:
      throw Self.garbage
    }
  }

  private func skipZeros(_ input: inout UnsafeRawBufferPointer) throws(DecodingFault) {
    let zeros = input.prefix { $0 == 0 }.count
    input = UnsafeRawBufferPointer(rebasing: input[zeros...])
    guard input.isEmpty else { throw Self.garbage }
  }

  private func readHeader(
    _ input: inout UnsafeRawBufferPointer
  ) throws(DecodingFault) {
    stream.give(input)
    let result = feedcore_inflate_read_header(stream)
    stream.take(&input)
    guard result != ISAL_END_INPUT else { return }
    guard result == ISAL_DECOMP_OK else { throw fault(result) }
    phase = .member
  }

  private func inflateMember(
    _ input: inout UnsafeRawBufferPointer, into space: inout UnsafeMutableRawBufferPointer
  ) throws(DecodingFault) {
    let result = stream.inflate(&input, into: &space)
    guard result >= ISAL_DECOMP_OK else { throw fault(result) }
    if stream.pointee.block_state == ISAL_BLOCK_FINISH { phase = .between }
  }

  private func fault(_ result: CInt) -> DecodingFault {
    switch result {
    case ISAL_INVALID_WRAPPER where !isFirst:
      Self.garbage
    case ISAL_INVALID_WRAPPER, ISAL_UNSUPPORTED_METHOD:
      DecodingFault("the header of the gzip data is damaged, or of an unknown method")
    case ISAL_INCORRECT_CHECKSUM:
      DecodingFault("the gzip data is damaged: its checksum or its length does not match")
    case ISAL_INVALID_BLOCK:
      DecodingFault("the gzip data is damaged: a block has an impossible header")
    case ISAL_INVALID_LOOKBACK:
      DecodingFault("the gzip data is damaged: a reference goes behind its window")
    default:
      DecodingFault("the gzip data is damaged: a symbol has no meaning")
    }
  }

  private static var garbage: DecodingFault {
    DecodingFault("something that is no gzip data follows the gzip data")
  }
}

extension UnsafeMutablePointer<feedcore_inflate> {
  /// Inflates from the front of `input` to the front of `space`, and advances both.
  ///
  /// - Returns: ISA-L's status code.
  func inflate(
    _ input: inout UnsafeRawBufferPointer, into space: inout UnsafeMutableRawBufferPointer
  ) -> CInt {
    give(input)
    pointee.next_out = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
    pointee.avail_out = UInt32(clamping: space.count)
    let result = isal_inflate(self)
    take(&input)
    space = UnsafeMutableRawBufferPointer(rebasing: space.suffix(Int(pointee.avail_out)))
    return result
  }

  fileprivate func give(_ input: UnsafeRawBufferPointer) {
    // ISA-L does not write to its input.
    let taken = UnsafeMutableRawPointer(mutating: input.baseAddress)
    pointee.next_in = taken?.assumingMemoryBound(to: UInt8.self)
    pointee.avail_in = UInt32(clamping: input.count)
  }

  /// Advances `input` past the bytes that were read.
  fileprivate func take(_ input: inout UnsafeRawBufferPointer) {
    input = UnsafeRawBufferPointer(rebasing: input.suffix(Int(pointee.avail_in)))
  }
}
