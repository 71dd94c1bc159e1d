import CZlib

/// Inflates gzip members (RFC 1952), one behind the other, and zeros behind the last one.
///
/// zlib documentation: <https://zlib.net/manual.html>
struct GzipDecoder: StreamDecoder, ~Copyable {
  private enum Phase {
    case member
    /// A member has ended: another one, zeros or the end may follow.
    case between
    case padding
  }

  // zlib remembers the address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var phase = Phase.member
  private var isFirst = true

  init() throws(DecodingFault) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard feedcore_inflate_begin_gzip(stream) == Z_OK else {
      stream.deallocate()
      throw .outOfMemory()
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  mutating func decode(
    _ input: inout UnsafeRawBufferPointer, into space: inout UnsafeMutableRawBufferPointer
  ) throws(DecodingFault) {
    if phase == .between, let first = input.first { try begin(first) }
    switch phase {
    case .between: return
    case .padding: try passZeros(&input)
    case .member: try inflateMember(&input, into: &space)
    }
  }

  mutating func finish() throws(DecodingFault) {
    guard phase == .member else { return }
    throw DecodingFault("the gzip data ends early: it is cut off")
  }

  private mutating func begin(_ byte: UInt8) throws(DecodingFault) {
    switch byte {
    case 0:
      phase = .padding
    case 0x1F:
      inflateReset(stream)
      isFirst = false
      phase = .member
    default:
      throw Self.garbage
    }
  }

  private func passZeros(_ input: inout UnsafeRawBufferPointer) throws(DecodingFault) {
    let zeros = input.prefix { $0 == 0 }.count
    input = UnsafeRawBufferPointer(rebasing: input[zeros...])
    guard input.isEmpty else { throw Self.garbage }
  }

  private mutating func inflateMember(
    _ input: inout UnsafeRawBufferPointer, into space: inout UnsafeMutableRawBufferPointer
  ) throws(DecodingFault) {
    // zlib does not write to its input.
    let taken = UnsafeMutableRawPointer(mutating: input.baseAddress)
    stream.pointee.next_in = taken?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_in = uInt(clamping: input.count)
    stream.pointee.next_out = space.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_out = uInt(clamping: space.count)
    let result = inflate(stream, Z_NO_FLUSH)
    input = UnsafeRawBufferPointer(rebasing: input.suffix(Int(stream.pointee.avail_in)))
    space = UnsafeMutableRawBufferPointer(rebasing: space.suffix(Int(stream.pointee.avail_out)))
    switch result {
    // Without room or input it does nothing, which is for the caller to see.
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: phase = .between
    case Z_MEM_ERROR: throw .outOfMemory()
    default: throw fault
    }
  }

  private var fault: DecodingFault {
    let message = stream.pointee.msg.map { String(cString: $0) } ?? "no message"
    switch message {
    case "incorrect header check":
      return isFirst ? DecodingFault("the header of the gzip data is damaged") : Self.garbage
    case "incorrect data check":
      return DecodingFault("the gzip data is damaged: its checksum does not match")
    case "incorrect length check":
      return DecodingFault("the gzip data is damaged: its length does not match")
    default:
      return DecodingFault("the gzip data is damaged: \(message)")
    }
  }

  private static var garbage: DecodingFault {
    DecodingFault("something that is no gzip data follows the gzip data")
  }
}
