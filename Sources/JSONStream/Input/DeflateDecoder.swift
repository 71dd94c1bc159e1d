import CIsal

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Inflates what HTTP calls `deflate`: one zlib stream (RFC 9110, section 8.4.1.2), or the bare
/// deflated data that some servers send instead.
final class DeflateDecoder: StreamDecoder {
  private enum DeflatePhase {
    /// The first byte decides which of the two it is.
    case head
    case data
    case end
  }

  private let stream: UnsafeMutablePointer<feedcore_inflate>
  private var phase = DeflatePhase.head

  init() throws(DecodingFault) {
    guard let stream = feedcore_inflate_create() else { throw .outOfMemory() }
    self.stream = stream
  }

  deinit { free(stream) }

  func decode(
    _ input: inout UnsafeRawBufferPointer, into space: inout UnsafeMutableRawBufferPointer
  ) throws(DecodingFault) {
    switch phase {
    case .head:
      guard let first = input.first else { return }
      // The method and the window of a zlib header (RFC 1950, section 2.2). Bare data with this
      // first byte would be a stored block with nonzero padding bits.
      if first & 0x0F == 8, first >> 4 <= 7 {
        feedcore_inflate_begin_zlib(stream)
      } else {
        feedcore_inflate_begin_raw(stream)
      }
      phase = .data
      try inflate(&input, into: &space)
    case .data: try inflate(&input, into: &space)
    case .end:
      guard input.isEmpty else {
        throw DecodingFault("something follows the deflated data")
      }
    }
  }

  func finish() throws(DecodingFault) {
    guard phase != .end else { return }
    throw DecodingFault("the deflated data ends early: it is cut off")
  }

  private func inflate(
    _ input: inout UnsafeRawBufferPointer, into space: inout UnsafeMutableRawBufferPointer
  ) throws(DecodingFault) {
    let result = stream.inflate(&input, into: &space)
    guard result >= ISAL_DECOMP_OK else {
      throw DecodingFault(
        result == ISAL_INCORRECT_CHECKSUM
          ? "the deflated data is damaged: its checksum does not match"
          : "the deflated data is damaged")
    }
    if stream.pointee.block_state == ISAL_BLOCK_FINISH { phase = .end }
  }
}
