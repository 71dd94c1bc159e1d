import CFeedScan
import Testing

@Suite("The vector kernel and its scalar twin")
struct ScannerTests {
  private func document(_ generator: inout SeededGenerator, count: Int) -> [UInt8] {
    let pieces: [[UInt8]] = [
      Array("{\"a\":[1,2]},".utf8), Array("é€😀".utf8), Array("\\\"\\\\\\u00e9".utf8),
      Array("plain text of some length, ".utf8), Array("\\ud83d\\ude00".utf8), [0x22], [0x5C],
      [0x5B], [0x5D], [0x7B], [0x7D], [0x0A], [0xC3], [0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90],
      [0x0B], Array("\\ud83d".utf8), Array("\\udc00".utf8), Array(repeating: 0x20, count: 40),
    ]
    // Mostly clean pieces: a fault ends the gate, and little behind it would be seen.
    var result: [UInt8] = []
    while result.count < count {
      let isClean = Int.random(in: 0..<40, using: &generator) > 0
      result += pieces[Int.random(in: 0..<(isClean ? 5 : pieces.count), using: &generator)]
    }
    return result
  }

  @Test("they find the same clean prefix, the same fault and the same number of lines")
  func gate() {
    var generator = SeededGenerator(seed: 1)
    var verdicts: Set<UInt32> = []
    for _ in 0..<4_000 {
      let bytes = document(&generator, count: Int.random(in: 0...400, using: &generator))
      let scalar = feedscan_gate(bytes, bytes.count, FEEDSCAN_SCALAR)
      let vector = feedscan_gate(bytes, bytes.count, feedscan_best_kernel())
      #expect(scalar.clean == vector.clean && scalar.verdict == vector.verdict)
      #expect(scalar.newlines == vector.newlines)
      verdicts.insert(scalar.verdict.rawValue)
    }
    #expect(verdicts.count == 5, "every verdict must have been met")
  }

  @Test("they agree with the standard library on what is UTF-8")
  func utf8() {
    var generator = SeededGenerator(seed: 2)
    var valid = 0
    for _ in 0..<20_000 {
      var bytes = [UInt8](repeating: 0x61, count: 70)
      let start = Int.random(in: 0..<66, using: &generator)
      let scalars: [[UInt8]] = [[0xC3, 0xA9], [0xE2, 0x82, 0xAC], [0xF0, 0x9F, 0x98, 0x80]]
      let sequence = scalars.randomElement(using: &generator) ?? []
      bytes.replaceSubrange(start..<start + sequence.count, with: sequence)
      let place = start + Int.random(in: 0..<sequence.count, using: &generator)
      if Bool.random(using: &generator) {
        bytes[place] = UInt8.random(in: 0x80...0xFF, using: &generator)
      }
      let isValid = String(validating: bytes, as: UTF8.self) != nil
      valid += isValid ? 1 : 0
      for kernel in [FEEDSCAN_SCALAR, feedscan_best_kernel()] {
        let isClean = feedscan_gate(bytes, bytes.count, kernel).verdict == FEEDSCAN_CLEAN
        #expect(isClean == isValid, "\(bytes[start...].prefix(5)) at \(start), kernel \(kernel)")
      }
    }
    #expect(valid > 1_000 && valid < 19_000)
  }

  @Test("they mark the same brackets, wherever the input is cut")
  func splitter() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<2_000 {
      let bytes = document(&generator, count: Int.random(in: 0...600, using: &generator))
      let whole = split(bytes, kernel: FEEDSCAN_SCALAR, pieces: [bytes.count + 1])
      let sizes = [Int.random(in: 1...200, using: &generator)]
      #expect(split(bytes, kernel: feedscan_best_kernel(), pieces: sizes) == whole)
      #expect(split(bytes, kernel: feedscan_best_kernel(), pieces: [bytes.count + 1]) == whole)
    }
  }

  private func split(_ bytes: [UInt8], kernel: feedscan_kernel, pieces: [Int]) -> [Int] {
    var state = feedscan_splitter()
    var marks = [UInt32](repeating: 0, count: 128)
    var found: [Int] = []
    var place = 0
    while place < bytes.count {
      let end = min(bytes.count, place + pieces[0])
      let result = feedscan_split(&state, bytes, place, end, &marks, marks.count, kernel)
      found += marks[..<result.marks].map { Int($0) }
      place = result.stopped
      if result.closed { return found + [-place] }
    }
    return found
  }
}
