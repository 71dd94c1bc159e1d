import TestSupport
import Testing

@testable import JSONStream

/// How a test compresses its bytes.
enum Packing: CaseIterable {
  case plain
  case gzip
  case zstd

  func pack(_ bytes: [UInt8]) throws -> [UInt8] {
    switch self {
    case .plain: bytes
    case .gzip: try Packed.gzip(bytes)
    case .zstd: try Packed.zstd(bytes)
    }
  }
}

/// Bytes that do not compress to almost nothing, and identify their position.
func numberedText(_ size: Int) -> [UInt8] {
  var generator = SeededGenerator(seed: 1)
  var text: [UInt8] = []
  while text.count < size {
    text += "\(text.count) \(generator.next())\n".utf8
  }
  return Array(text.prefix(size))
}

@Suite("Input", .timeLimit(.minutes(10)))
struct InputSourceTests {
  private let fixture: InputFixture

  init() throws { fixture = try InputFixture() }

  @Test(
    "input is decompressed if necessary", arguments: Packing.allCases)
  func contents(_ packing: Packing) throws {
    let text = numberedText(100_000)
    let path = try fixture.file(try packing.pack(text))
    #expect(try InputSource(path).readAhead().readAll() == text)
  }

  @Test("input longer than the ring is read completely", arguments: Packing.allCases)
  func long(_ packing: Packing) throws {
    let text = numberedText(7 << 20)
    let packed = try packing.pack(text)
    let ahead = try InputSource(try fixture.file(packed)).readAhead()
    // Not compared by #expect, which would print it.
    let isSame = try ahead.readAll() == text
    #expect(isSame)
    #expect(ahead.bytesTaken == packed.count)
  }

  @Test(
    "the format is detected even if input arrives byte by byte", arguments: Packing.allCases)
  func drops(_ packing: Packing) throws {
    let text = numberedText(300)
    let packed = try packing.pack(text)
    let pipe = try fixture.pipe()
    let source = try InputSource(pipe.path)
    #expect(source.byteCount == nil && source.fileByteCount == nil)
    let ahead = try source.readAhead()
    var read: [UInt8] = []
    for (index, byte) in packed.enumerated() {
      try pipe.send([byte])
      // The thread passes on every byte of plain input as it arrives.
      if packing == .plain {
        read += try #require(try ahead.nextBytes())
      } else if index % 50 == 49, case .segment(let segment) = try ahead.next() {
        read += segment.bytes
        ahead.recycle(segment)
      }
    }
    pipe.end()
    read += try ahead.readAll()
    #expect(read == text)
    #expect(ahead.bytesTaken == packed.count)
  }

  @Test(
    "plain input that begins like a compressed format loses no bytes",
    arguments: [
      [], [0x1F], [0x1F, 0x20], [0x28, 0xB5], [0x28, 0xB5, 0x2F], [0x28, 0xB5, 0x2F, 0x00],
      [0x5B, 0x2A], [0x5B, 0x2A, 0x4D], [0x5B, 0x2A, 0x4D, 0x19, 0x00], [0x5B],
    ] as [[UInt8]])
  func almost(_ bytes: [UInt8]) throws {
    let source = try InputSource(try fixture.file(bytes))
    #expect(source.byteCount == bytes.count)
    #expect(try source.readAhead().readAll() == bytes)
    let pipe = try fixture.pipe()
    let piped = try InputSource(pipe.path)
    try pipe.send(bytes)
    pipe.end()
    #expect(try piped.readAhead().readAll() == bytes)
  }

  @Test(
    "unsupported formats are rejected by name, with the command that converts them",
    arguments: [
      ("is compressed by xz", "xz -dc FILE", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
      ("is compressed by bzip2", "bzip2 -dc FILE", Array("BZh91AY&SY".utf8)),
      ("is compressed by zip", "unzip -p FILE", [0x50, 0x4B, 0x03, 0x04, 0x14]),
      ("is compressed by lz4", "lz4 -dc FILE", [0x04, 0x22, 0x4D, 0x18]),
      ("is compressed by 7z", "7z x -so FILE", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
      ("is compressed by zlib", "zlib-flate -uncompress <FILE", [0x78, 0x9C, 0x8B, 0x06]),
      ("the input is UTF-16", "iconv -f UTF-16 -t UTF-8 FILE", [0xFF, 0xFE, 0x5B, 0, 0x5D, 0]),
      ("the input is UTF-16", "iconv -f UTF-16 -t UTF-8 FILE", [0xFE, 0xFF, 0, 0x5B, 0, 0x5D]),
      ("the input is UTF-16", "iconv -f UTF-16LE -t UTF-8 FILE", [0x5B, 0, 0x5D, 0]),
      ("the input is UTF-16", "iconv -f UTF-16BE -t UTF-8 FILE", [0, 0x7B, 0, 0x7D]),
      ("the input is UTF-32", "iconv -f UTF-32 -t UTF-8 FILE", [0xFF, 0xFE, 0, 0, 0x5B, 0, 0, 0]),
      ("the input is UTF-32", "iconv -f UTF-32LE -t UTF-8 FILE", [0x5B, 0, 0, 0, 0x5D, 0, 0, 0]),
      ("the input is UTF-32", "iconv -f UTF-32BE -t UTF-8 FILE", [0, 0, 0, 0x5B, 0, 0, 0, 0x5D]),
      (
        "the input is a tar archive", "tar -xOf FILE",
        Array("feed.json".utf8) + [UInt8](repeating: 0, count: 248) + Array("ustar".utf8)
      ),
      ("the input is CSV", "mlr --icsv --ojson cat FILE", Array("name,age\nAda,36\n".utf8)),
      ("the input is CSV", "mlr --icsv --ojson cat FILE", Array("\"a,b\";c\r\n1;2".utf8)),
      ("the input is HTML or XML", "", Array("<!DOCTYPE html>\n<html>".utf8)),
      (
        "the input is JSON behind the line )]}'", "tail -n +2 FILE",
        Array(")]}',\n[]\n".utf8)
      ),
    ] as [(String, String, [UInt8])])
  func foreign(description: String, command: String, bytes: [UInt8]) throws {
    let file = try fixture.file(bytes)
    let pipe = try fixture.pipe()
    let piped = try InputSource(pipe.path)
    try pipe.send(bytes)
    pipe.end()
    let errors = [
      try #require(throws: JSONError.self) { try InputSource(file).readAhead().readAll() },
      try #require(throws: JSONError.self) { try piped.readAhead().readAll() },
    ]
    #expect(errors.map(\.file) == [file, pipe.path])
    for error in errors {
      #expect(error.byteOffset == 0)
      #expect(error.reason.hasPrefix(description + ", which is not read here; "))
      #expect(command.isEmpty || error.reason.contains("`\(command)`"))
    }
  }

  @Test("content that is compressed twice, or is not JSON inside, is rejected by name")
  func foreignContent() throws {
    for (content, description) in [
      (try Packed.gzip(Array("[]".utf8)), "compressed by gzip again"),
      (Array("name,age\nAda,36\n".utf8), "CSV"),
    ] {
      let file = try fixture.file(try Packed.gzip(content))
      let error = try #require(throws: JSONError.self) {
        try InputSource(file).readAhead().readAll()
      }
      #expect(error.kind == .compression)
      #expect(error.reason.hasPrefix("its content is \(description), which is not read here; "))
    }
  }

  @Test(
    "text of no known format reaches the parser, whatever its first bytes",
    arguments: [
      "true", "nul", "f", "\"a\"", "\"a\",", "\"a\\\",b\"", "hello, world\n", "x", ")]",
      "a,b\n{\"a\":1}\n", "a,b\n1,2,3\n", "name;\n",
    ])
  func unknownText(text: String) throws {
    let source = try InputSource(try fixture.file(Array(text.utf8)))
    #expect(try source.readAhead().readAll() == Array(text.utf8))
  }

  @Test("only a plain file has a known length")
  func lengths() throws {
    let text = numberedText(5_000)
    let plain = try InputSource(try fixture.file(text))
    #expect(plain.byteCount == 5_000 && plain.fileByteCount == 5_000)
    let packed = try Packed.gzip(text)
    let compressed = try InputSource(try fixture.file(packed))
    #expect(compressed.byteCount == nil && compressed.fileByteCount == packed.count)
  }

  @Test("progress counts compressed bytes of the returned content")
  func progress() throws {
    let packed = try Packed.zstd(numberedText(8 << 20))
    let ahead = try InputSource(try fixture.file(packed)).readAhead()
    var last = 0
    while try ahead.nextBytes() != nil {
      #expect(ahead.bytesTaken > last && ahead.bytesTaken <= last + packed.count / 4)
      last = ahead.bytesTaken
    }
    #expect(ahead.bytesTaken == packed.count)
  }

  @Test("input that has ended stays at its end", arguments: Packing.allCases)
  func end(_ packing: Packing) throws {
    let pipe = try fixture.pipe()
    let ahead = try InputSource(pipe.path).readAhead()
    try pipe.send(try packing.pack([0x37]))
    pipe.end()
    #expect(try ahead.readAll() == [0x37])
    #expect(try ahead.readAll() == [])
  }

  @Test(
    "the reader can check for cancellation while a compressed input is silent",
    arguments: [Packing.gzip, .zstd])
  func silence(_ packing: Packing) throws {
    let text = numberedText(30_000)
    let packed = try packing.pack(text)
    let pipe = try fixture.pipe()
    try pipe.send(Array(packed.dropLast(9)))
    let ahead = try InputSource(pipe.path).readAhead()
    var read: [UInt8] = []
    var silences = 0
    while silences < 3 {
      guard case .segment(let segment) = try ahead.next() else {
        silences += 1
        continue
      }
      read += segment.bytes
      ahead.recycle(segment)
    }
    // All bytes that could be inflated were returned: for a zstd frame of one block, none.
    #expect(!read.isEmpty || packing == .zstd)
    try pipe.send(Array(packed.suffix(9)))
    pipe.end()
    read += try ahead.readAll()
    #expect(read == text)
  }
}
