import CZstd

/// Inflates consecutive zstd frames (RFC 8878); skips skippable frames.
///
/// zstd documentation: <https://facebook.github.io/zstd/zstd_manual.html>
final class ZstdDecoder: StreamDecoder {
  /// The binary logarithm of the maximum window, which bounds the decoder's memory. Levels up to 20
  /// need 32 MiB.
  static let windowLimit = 25

  private let context: OpaquePointer
  private var header = ZstdFrameHeader()
  private var isInFrame = false
  private var isFirst = true
  /// Compressed bytes consumed so far.
  private var taken = 0
  /// The offset of the frame.
  private var frameStart = 0
  /// How many bytes the decoder needs next: the rest of a header or of a block. More would not be
  /// faster, and would hide which block is damaged.
  private var wanted = headerStart

  init() throws(DecodingFault) {
    guard let context = ZSTD_createDCtx() else { throw .outOfMemory() }
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, CInt(Self.windowLimit))
    self.context = context
  }

  deinit { ZSTD_freeDCtx(context) }

  func decode(
    _ input: inout UnsafeRawBufferPointer, into space: inout UnsafeMutableRawBufferPointer
  ) throws(DecodingFault) {
    if !isInFrame {
      guard !input.isEmpty else { return }
      isInFrame = true
      frameStart = taken
      header = ZstdFrameHeader()
      wanted = Self.headerStart
    }
    let chunk = UnsafeRawBufferPointer(rebasing: input.prefix(wanted))
    header.append(chunk, at: taken - frameStart)
    var source = ZSTD_inBuffer(src: chunk.baseAddress, size: chunk.count, pos: 0)
    var target = ZSTD_outBuffer(dst: space.baseAddress, size: space.count, pos: 0)
    let result = ZSTD_decompressStream(context, &target, &source)
    guard ZSTD_isError(result) == 0 else { throw fault(ZSTD_getErrorCode(result)) }
    input = UnsafeRawBufferPointer(rebasing: input[source.pos...])
    space = UnsafeMutableRawBufferPointer(rebasing: space[target.pos...])
    taken += source.pos
    wanted = max(result, 1)
    if result == 0 {
      isInFrame = false
      isFirst = false
    }
  }

  func finish() throws(DecodingFault) {
    guard isInFrame else { return }
    throw DecodingFault("the zstd data ends early: it is cut off")
  }

  /// The bytes of a frame that determine the length of its header.
  private static let headerStart = 5

  private func fault(_ code: ZSTD_ErrorCode) -> DecodingFault {
    switch code {
    case ZSTD_error_frameParameter_windowTooLarge:
      return DecodingFault(Self.windowReason(header.windowSize), at: frameStart)
    case ZSTD_error_prefix_unknown where !isFirst:
      return DecodingFault("something that is no zstd data follows the zstd data", at: frameStart)
    case ZSTD_error_checksum_wrong:
      return DecodingFault("the zstd data is damaged: its checksum does not match")
    case ZSTD_error_dictionary_wrong:
      return DecodingFault(
        "the zstd data needs a dictionary, which cannot be given", at: frameStart)
    case ZSTD_error_memory_allocation:
      return .outOfMemory()
    default:
      let message = String(cString: ZSTD_getErrorString(code))
      return DecodingFault("the zstd data is damaged: \(message)")
    }
  }

  private static func windowReason(_ size: UInt64?) -> String {
    let mebibyte: UInt64 = 1 << 20
    let need = size.map { "\($0 / mebibyte + ($0 % mebibyte == 0 ? 0 : 1)) MiB, more than" }
    return "the zstd data needs a window of \(need ?? "more than") the limit of "
      + "\(1 << windowLimit / mebibyte) MiB; give what `zstd -dc --long=31 FILE` writes as standard "
      + "input"
  }
}

/// The first bytes of a zstd frame, which have the window size that the error of a rejected frame
/// names.
///
/// zstd has a function for that, but only in its unstable API.
struct ZstdFrameHeader {
  /// RFC 8878, section 3.1.1.1: magic number, descriptor, window, dictionary, content size.
  private static let maximumCount = 4 + 1 + 1 + 4 + 8

  private var bytes: [UInt8] = []

  /// Appends the bytes at `offset` in the frame; skips those that it already has.
  mutating func append(_ chunk: UnsafeRawBufferPointer, at offset: Int) {
    guard bytes.count < Self.maximumCount, offset <= bytes.count else { return }
    bytes += chunk.dropFirst(bytes.count - offset).prefix(Self.maximumCount - bytes.count)
  }

  /// The window size: the bytes of content that a decoder must keep. Nil if the header is cut off.
  var windowSize: UInt64? {
    guard bytes.count > 5 else { return nil }
    let descriptor = bytes[4]
    let isSingleSegment = descriptor & 0x20 != 0
    if isSingleSegment { return contentSize(descriptor) }
    let base = UInt64(1) << (10 + bytes[5] >> 3)
    return base + base / 8 * UInt64(bytes[5] & 7)
  }

  private func contentSize(_ descriptor: UInt8) -> UInt64? {
    let dictionaryLength = [0, 1, 2, 4][Int(descriptor & 3)]
    let length = [1, 2, 4, 8][Int(descriptor >> 6)]
    let field = bytes.dropFirst(5 + dictionaryLength).prefix(length)
    guard field.count == length else { return nil }
    let value = field.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return length == 2 ? value + 256 : value
  }
}
