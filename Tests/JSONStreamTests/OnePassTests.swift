import CFeedScan
import TestSupport
import Testing

/// One pass finds the same as separate input validation, splitting and search for special bytes.
@Suite("One pass over the input")
struct OnePassTests {
  static let kernels = ScannerTests.kernels

  /// Text in which faults are rare, so that the pass gets far.
  private static func document(_ generator: inout SeededGenerator) -> [UInt8] {
    let count = Int.random(in: 0...9_000, using: &generator)
    let isOpen = Bool.random(using: &generator)
    var result: [UInt8] = []
    while result.count < count {
      let parts = Int.random(in: 0..<400, using: &generator) == 0 ? faults : parts
      result += parts.randomElement(using: &generator) ?? []
    }
    return isOpen ? result : result + [0x5D, 0x20]
  }

  private static let parts: [[UInt8]] = [
    #"{"a":[1,{"b":"c"}]}"#, ",", " \n", #"{"text":"é€😀 \\ \" \u00e9 \ud83d\ude00"}"#, "1.5",
    #"{"long":"0123456789012345678901234567890123456789012345678901234567890123456789"},"#,
    #"{"é":"é€😀é€😀é€😀é€😀é€😀é€😀é€😀é€😀é€😀é€😀é€😀é€😀é€😀é€😀é€😀"}"#, "[[[[]]]]", "\r\n\t",
    #"{"\\\\\\\\":"\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\"}"#,
  ].map { Array($0.utf8) }
  private static let faults: [[UInt8]] = [
    [0x0B], [0xC3], [0x80], Array(#"\ud83d"#.utf8), Array(#"\udc00"#.utf8), [0xED, 0xA0, 0x80],
    [0x22], [0x5C], [0x01],
  ]

  @Test("it stops between two characters and agrees with the separate passes up to that point")
  func agreement() {
    var generator = SeededGenerator(seed: 7)
    var stoppedEarly = 0
    var scannedBytes = 0
    for round in 0..<3_000 {
      let bytes = [0x5B, 0x20, 0x20] + Self.document(&generator) + [UInt8](repeating: 0, count: 8)
      let count = bytes.count - 8
      let forLines = round % 3 == 0
      let capacity = round % 5 == 0 ? 70 : 4096
      for kernel in Self.kernels {
        let first = Int.random(in: 0..<200, using: &generator)
        var specials = [UInt64](repeating: round % 2 == 0 ? 0 : ~0, count: (first + count) / 64 + 3)
        var marks = [UInt32](repeating: 0, count: capacity)
        var splitter = feedscan_splitter()
        let found = feedscan_scan(
          &splitter, bytes, 3, count, &marks, capacity, &specials, first, forLines, kernel)
        let stopped = found.stopped
        scannedBytes += stopped - 3
        if stopped < count - 68 { stoppedEarly += 1 }
        // No fault starts before it, and input validation finds the same fault from there.
        let whole = feedscan_validate(Array(bytes[3..<count]), count - 3, FEEDSCAN_SCALAR)
        let rest = feedscan_validate(
          Array(bytes[stopped..<count]), count - stopped, FEEDSCAN_SCALAR)
        #expect(rest.verdict == whole.verdict && stopped + rest.clean == 3 + whole.clean)
        #expect(rest.newlines + found.newlines == whole.newlines)
        #expect(rest.continuations + found.continuations == whole.continuations)
        var expected = [UInt32](repeating: 0, count: capacity)
        var twin = feedscan_splitter()
        if forLines {
          let lines = feedscan_find_lines(bytes, 3, stopped, &expected, capacity, FEEDSCAN_SCALAR)
          #expect(lines.marks == found.marks && lines.stopped == stopped)
        } else {
          let split = feedscan_split(
            &twin, bytes, 3, stopped, &expected, capacity, FEEDSCAN_SCALAR)
          #expect(split.marks == found.marks && split.stopped == stopped && !split.closed)
          #expect(twin.in_string == splitter.in_string && twin.depth == splitter.depth)
        }
        #expect(marks[..<found.marks] == expected[..<found.marks])
        for offset in 3..<stopped {
          let byte = bytes[offset]
          let isSpecial = byte == 0x22 || byte == 0x5C || byte < 0x20
          let bit = first + offset
          #expect(specials[bit / 64] >> UInt64(bit % 64) & 1 == (isSpecial ? 1 : 0))
        }
      }
    }
    // The passes must have scanned far, and must have been stopped by faults, ends and full marks.
    #expect(Self.kernels.isEmpty || scannedBytes > 1_000_000 && stoppedEarly > 200)
  }

  @Test("special bytes are found at every bit, and earlier ones are preserved", arguments: [1, 2])
  func specials(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let bytes = ScannerTests.document(&generator, count: 400)
      let from = Int.random(in: 0..<bytes.count, using: &generator)
      let to = Int.random(in: from...bytes.count, using: &generator)
      let first = Int.random(in: 0..<130, using: &generator)
      let before = [UInt64](
        repeating: UInt64.random(in: 0...UInt64.max, using: &generator), count: 12)
      var expected = before
      feedscan_find_specials(bytes, from, to, &expected, first, FEEDSCAN_SCALAR)
      for kernel in Self.kernels {
        var found = before
        feedscan_find_specials(bytes, from, to, &found, first, kernel)
        for bit in 0..<first + to {
          #expect(
            found[bit / 64] >> UInt64(bit % 64) & 1 == expected[bit / 64] >> UInt64(bit % 64) & 1)
        }
      }
    }
  }
}
