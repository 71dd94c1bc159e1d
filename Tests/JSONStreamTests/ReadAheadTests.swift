import TestSupport
import Testing

@testable import JSONStream

@Suite("Reading ahead", .timeLimit(.minutes(10)))
struct ReadAheadTests {
  private let fixture: InputFixture

  init() throws { fixture = try InputFixture() }

  @Test(
    "returns aligned segments with space in front, and reuses them",
    arguments: Packing.allCases)
  func segments(_ packing: Packing) throws {
    let text = numberedText(9 << 20)
    let packed = try packing.pack(text)
    let ahead = try InputSource(try fixture.file(packed)).readAhead()
    var read: [UInt8] = []
    var memory: Set<ObjectIdentifier> = []
    while let segment = try ahead.nextSegment() {
      #expect(UInt(bitPattern: segment.bytes.baseAddress) % 4096 == 0)
      #expect(
        segment.slack == 69_632
          && UnsafeMutableRawPointer(segment.memory) + segment.slack == segment.bytes.baseAddress)
      #expect(segment.count == ReadAhead.segmentBytes || read.count + segment.count == text.count)
      memory.insert(ObjectIdentifier(segment))
      read += segment.bytes
      ahead.recycle(segment)
    }
    let isSame = read == text
    #expect(isSame)
    #expect(memory.count <= ReadAhead.segmentLimit)
    #expect(ahead.bytesTaken == packed.count)
    if case .end = try ahead.next() {} else { Issue.record("the end is to stay the end") }
  }

  @Test("is bounded: a consumer that keeps all segments gets no more")
  func bounded() throws {
    let source = try InputSource(try fixture.file([UInt8](repeating: 0x20, count: 9 << 20)))
    let ahead = try source.readAhead()
    var kept: [InputSegment] = []
    for _ in 0..<ReadAhead.segmentLimit { kept.append(try #require(try ahead.nextSegment())) }
    if case .nothingYet = try ahead.next() {} else { Issue.record("there is no fifth segment") }
    ahead.recycle(kept.removeLast())
    #expect(try ahead.nextSegment() != nil)
  }

  @Test(
    "returns what a pipe has without waiting for a full segment", arguments: Packing.allCases)
  func pipe(_ packing: Packing) throws {
    let pipe = try fixture.pipe()
    let ahead = try InputSource(pipe.path).readAhead()
    let members = [numberedText(2_000), Array("[1,2,3]".utf8), numberedText(10)]
    for text in members {
      try pipe.send(try packing.pack(text))
      var read: [UInt8] = []
      while read.count < text.count { read += try #require(try ahead.nextBytes()) }
      #expect(read == text)
    }
    pipe.end()
    #expect(try ahead.nextSegment() == nil)
  }

  @Test(
    "stops at once when it is released while a pipe is silent", arguments: Packing.allCases)
  func dropped(_ packing: Packing) throws {
    for length in [0, 1, 3, 20, 4_000] {
      let pipe = try fixture.pipe()
      try pipe.send(Array(try packing.pack(numberedText(10_000)).prefix(length)))
      let duration = try ContinuousClock().measure {
        let ahead = try InputSource(pipe.path).readAhead()
        _ = try ahead.next()
      }
      #expect(duration < .seconds(5))
    }
  }

  @Test("stops at once when it is released while the ring is full", arguments: Packing.allCases)
  func droppedFull(_ packing: Packing) throws {
    let path = try fixture.file(try packing.pack([UInt8](repeating: 0x20, count: 20 << 20)))
    let ahead = try InputSource(path).readAhead()
    let segment = try ahead.nextSegment()
    #expect(segment?.count == ReadAhead.segmentBytes)
  }

  @Test("stops at once inside a long run of skippable frames")
  func droppedInNothing() throws {
    let nothing = Packed.skippable([UInt8](repeating: 0, count: 32 << 20))
    var packed: [UInt8] = []
    for _ in 0..<8 { packed += nothing }
    let path = try fixture.file(packed)
    let whole = try ContinuousClock().measure { _ = try InputSource(path).readAhead().readAll() }
    let started = try ContinuousClock().measure { _ = try InputSource(path).readAhead() }
    #expect(started < whole)
  }
}
