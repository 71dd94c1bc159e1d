import JSONStream
import TestSupport
import Testing

@Suite("A packed stream")
struct PackedStreamTests {
  @Test("gives back what was put in, whatever the pieces", arguments: [0, 1, 100, 70_000])
  func roundTrip(pieceSize: Int) throws {
    let text = (0..<20_000).flatMap { Array("record \($0 % 977), ".utf8) }
    for format in [PackedStream.Format.gzip, .zstd] {
      let stream = try PackedStream(format)
      var packed: [UInt8] = []
      var rest = text[...]
      while pieceSize > 0, rest.count > pieceSize {
        packed += try stream.pack(Array(rest.prefix(pieceSize)), isLast: false)
        rest = rest.dropFirst(pieceSize)
      }
      packed += try stream.pack(Array(rest), isLast: true)
      #expect(packed.count < text.count / 4)
      #expect(try unpacked(packed, format) == text)
    }
  }

  @Test("of nothing is a whole one")
  func empty() throws {
    for format in [PackedStream.Format.gzip, .zstd] {
      #expect(try unpacked(PackedStream(format).pack([], isLast: true), format) == [])
    }
  }

  private func unpacked(_ bytes: [UInt8], _ format: PackedStream.Format) throws -> [UInt8] {
    if case .zstd = format { return try Packed.unzstd(bytes) }
    let decoder = try ContentDecoder(.gzip, named: "test")
    decoder.push(bytes)
    var result: [UInt8] = []
    while let piece = try decoder.next(upTo: 1 << 16) { result += piece }
    try decoder.finish()
    return result
  }
}
