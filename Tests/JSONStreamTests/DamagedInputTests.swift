import TestSupport
import Testing

@testable import JSONStream

@Suite("Compressed input", .timeLimit(.minutes(10)))
struct DamagedInputTests {
  private let fixture: InputFixture
  private let text = numberedText(3_000)

  init() throws { fixture = try InputFixture() }

  private func contents(_ packed: [UInt8]) throws -> [UInt8] {
    try InputSource(try fixture.file(packed)).readAhead().readAll()
  }

  /// Expects that reading fails at a byte of the file, for a reason.
  private func expectFailure(
    _ packed: [UInt8], at offset: Int? = nil, _ reason: String,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let path = try fixture.file(packed)
    let error = try #require(failure(reading: path).error, sourceLocation: location)
    #expect(error.kind == .compression, sourceLocation: location)
    #expect(error.reason.contains(reason), "\(error)", sourceLocation: location)
    #expect(error.file == path, sourceLocation: location)
    if let offset { #expect(error.byteOffset == offset, sourceLocation: location) }
    #expect(
      "\(error)" == "\(path): \(error.reason) (byte \(error.byteOffset) of the compressed input)",
      sourceLocation: location)
  }

  // MARK: gzip

  @Test("gzip input may have several members, some empty, and trailing zeros")
  func members() throws {
    let packed = try Packed.gzip(text) + Packed.gzip([]) + Packed.gzip(text, level: 1)
    #expect(try contents(packed) == text + text)
    #expect(try contents(packed + [UInt8](repeating: 0, count: 600_000)) == text + text)
    #expect(try contents(try Packed.gzip([])) == [])
  }

  @Test("gzip input followed by other data is rejected")
  func gzipGarbage() throws {
    let packed = try Packed.gzip(text)
    try expectFailure(packed + [0x5B], at: packed.count, "no gzip data follows")
    try expectFailure(packed + [0x1F] + text.prefix(9), "no gzip data follows")
    try expectFailure(packed + [0, 0, 0x1F, 0x8B], at: packed.count + 2, "no gzip data follows")
    try expectFailure(packed + Packed.zstd(text), at: packed.count, "no gzip data follows")
  }

  @Test("gzip input is verified by its checksum and length")
  func gzipTrailer() throws {
    var packed = try Packed.gzip(text)
    packed[packed.count - 1] ^= 1
    try expectFailure(packed, at: packed.count, "its checksum or its length does not match")
    packed[packed.count - 5] ^= 1
    try expectFailure(packed, at: packed.count, "its checksum or its length does not match")
  }

  @Test("gzip input with an unknown method in its header is rejected")
  func gzipHeader() throws {
    var packed = try Packed.gzip(text)
    packed[2] = 9
    try expectFailure(packed, "of an unknown method")
  }

  @Test("truncated gzip input is rejected after the bytes before the cut")
  func gzipTruncated() throws {
    let packed = try Packed.gzip(text)
    for length in 2..<packed.count {
      try expectFailure(Array(packed[..<length]), at: length, "the gzip data ends early")
    }
    try expectFailure(packed + packed[..<9], at: packed.count + 9, "the gzip data ends early")
    let cut = failure(reading: try fixture.file(packed.dropLast(4)))
    #expect(cut.bytes == text)
  }

  // MARK: zstd

  @Test("zstd input may have several frames and skippable frames in any order")
  func frames() throws {
    let frame = try Packed.zstd(text)
    let note = Packed.skippable(Array("a note".utf8))
    #expect(try contents(note + frame + note + note + frame + note) == text + text)
    #expect(try contents(note) == [])
    #expect(try contents(frame + Packed.zstd([]) + Packed.zstd(text, windowLog: 20)) == text + text)
  }

  @Test("zstd input followed by other data is rejected")
  func zstdGarbage() throws {
    let packed = try Packed.zstd(text)
    try expectFailure(packed + Array("[{}]".utf8), at: packed.count, "no zstd data follows")
    try expectFailure(packed + Packed.gzip(text), at: packed.count, "no zstd data follows")
    try expectFailure(packed + [0, 0, 0, 0, 0], at: packed.count, "no zstd data follows")
  }

  @Test("zstd input is verified by its checksum")
  func zstdChecksum() throws {
    var packed = try Packed.zstd(text)
    packed[packed.count - 1] ^= 1
    try expectFailure(packed, at: packed.count - 4, "its checksum does not match")
  }

  @Test("truncated zstd input is rejected")
  func zstdTruncated() throws {
    let packed = try Packed.zstd(text)
    let note = Packed.skippable([1, 2, 3])
    for length in 4..<packed.count {
      try expectFailure(Array(packed[..<length]), at: length, "the zstd data ends early")
    }
    for length in 1..<note.count {
      try expectFailure(
        packed + note[..<length], at: packed.count + length, "the zstd data ends early")
    }
  }

  @Test("zstd input with too large a window is rejected with the size it needs")
  func window() throws {
    #expect(try contents(try Packed.zstd(text, windowLog: 25)) == text)
    let large = try Packed.zstd(text, windowLog: 26)
    try expectFailure(large, at: 0, "needs a window of 64 MiB, more than the limit of 32 MiB")
    let first = try Packed.zstd(text)
    try expectFailure(
      first + Packed.zstd(text, windowLog: 27), at: first.count, "needs a window of 128 MiB")
    // A frame of one segment: its content is its window.
    let whole: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0xA0, 0x01, 0x00, 0x00, 0x03, 0x01, 0x00, 0x00]
    try expectFailure(whole, at: 0, "needs a window of 49 MiB")
    let absurd = [0x28, 0xB5, 0x2F, 0xFD, 0xE0] + [UInt8](repeating: 0xFE, count: 8) + [1, 0, 0]
    try expectFailure(absurd, at: 0, "needs a window of")
  }

  @Test("zstd input with a dictionary is rejected")
  func dictionary() throws {
    let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x21, 0x2A, 0x01, 0x09, 0x00, 0x00, 0x37]
    try expectFailure(frame, at: 0, "needs a dictionary")
  }

  // MARK: Both

  @Test(
    "input with any flipped bit is rejected or has the same content",
    arguments: [Packing.gzip, .zstd])
  func flipped(_ packing: Packing) throws {
    let packed = try packing.pack(Array(text.prefix(400)))
    for offset in 0..<packed.count {
      for bit in 0..<8 {
        var damaged = packed
        damaged[offset] ^= 1 << UInt8(bit)
        let outcome = failure(reading: try fixture.file(damaged))
        if let error = outcome.error {
          #expect(error.kind == .compression && error.byteOffset <= packed.count)
        } else {
          // The bit is in a header's time stamp, or makes the input look like plain text.
          #expect(outcome.bytes == Array(text.prefix(400)) || outcome.bytes == damaged)
        }
      }
    }
  }

  @Test("bytes before the damage are returned, and the error repeats")
  func prefix() throws {
    let long = numberedText(3 << 20)
    for packing in [Packing.gzip, .zstd] {
      let packed = try packing.pack(long)
      let path = try fixture.file(packed.dropLast(5))
      let cut = failure(reading: path)
      let isPrefix = long.starts(with: cut.bytes)
      #expect(isPrefix && cut.bytes.count > 2 << 20)
      let ahead = try InputSource(path).readAhead()
      #expect(throws: JSONError.self) { _ = try ahead.readAll() }
      #expect(throws: JSONError.self) { _ = try ahead.readAll() }
    }
  }
}
