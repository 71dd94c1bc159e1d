import JSONStream
import TestSupport
import Testing

@Suite("A compressed stream")
struct PackedStreamTests {
  @Test("decompresses to its input for any chunk size", arguments: [0, 1, 100, 70_000])
  func roundTrip(chunkSize: Int) throws {
    let text = (0..<20_000).flatMap { Array("record \($0 % 977), ".utf8) }
    for format in [PackedStream.Format.gzip, .zstd] {
      let stream = try PackedStream(format)
      var packed: [UInt8] = []
      var rest = text[...]
      while chunkSize > 0, rest.count > chunkSize {
        packed += try stream.pack(Array(rest.prefix(chunkSize)), isLast: false)
        rest = rest.dropFirst(chunkSize)
      }
      packed += try stream.pack(Array(rest), isLast: true)
      #expect(packed.count < text.count / 4)
      #expect(try unpacked(packed, format) == text)
    }
  }

  @Test("is complete without input")
  func empty() throws {
    for format in [PackedStream.Format.gzip, .zstd] {
      #expect(try unpacked(PackedStream(format).pack([], isLast: true), format) == [])
    }
  }

  @Test("is decoded with every optional header field, at any chunk boundary", arguments: 1...48)
  func headers(chunkSize: Int) throws {
    let text = Array("records".utf8)
    let packed = try PackedStream(.gzip).pack(text, isLast: true)
    // RFC 1952, section 2.3: the flags of a header and their fields.
    let (checksum, extra, name, comment) = (UInt8(2), UInt8(4), UInt8(8), UInt8(16))
    for flags in stride(from: UInt8(0), through: 30, by: 2) {
      var header: [UInt8] = [0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 0, 255]
      if flags & extra > 0 { header += [6, 0, 0x42, 0x43, 2, 0, 0x1B, 0] }
      if flags & name > 0 { header += Array("name\0".utf8) }
      if flags & comment > 0 { header += Array("a comment\0".utf8) }
      if flags & checksum > 0 {
        let sum = crc32(header)
        header += [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
      }
      let member = header + packed.dropFirst(10)
      #expect(try unpacked(member + member, .gzip, chunkSize: chunkSize) == text + text)
    }
  }

  /// RFC 1952, section 8.
  private func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1) * 0xEDB8_8320 }
    }
  }

  private func unpacked(
    _ bytes: [UInt8], _ format: PackedStream.Format, chunkSize: Int = .max
  ) throws -> [UInt8] {
    if case .zstd = format { return try Packed.unzstd(bytes) }
    let decoder = try ContentDecoder(.gzip, named: "test")
    var (result, rest): ([UInt8], _) = ([], bytes[...])
    while !rest.isEmpty {
      decoder.push(Array(rest.prefix(chunkSize)))
      rest = rest.dropFirst(chunkSize)
      while let chunk = try decoder.next(upTo: 1 << 16) { result += chunk }
    }
    try decoder.finish()
    return result
  }
}
