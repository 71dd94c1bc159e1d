import CFeedScan
import TestSupport
import Testing

@Suite("The scanners' kernels and their scalar twin")
struct ScannerTests {
  /// Every kernel of this machine but the scalar twin.
  static let kernels = [FEEDSCAN_AVX2, FEEDSCAN_AVX512, FEEDSCAN_NEON].filter(feedscan_has_kernel)

  private static let parts: [[UInt8]] = [
    Array("{\"a\":[1,2]},".utf8), Array("é€😀".utf8), Array("\\\"\\\\\\u00e9".utf8),
    Array("plain text of some length, ".utf8), Array("\\ud83d\\ude00".utf8), [0x22], [0x5C],
    [0x5B], [0x5D], [0x7B], [0x7D], [0x0A], [0xC3], [0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90],
    [0x0B], Array("\\ud83d".utf8), Array("\\udc00".utf8), Array(repeating: 0x20, count: 40),
    Array(repeating: 0x5C, count: 65), Array("\\uD8".utf8), Array("{},[],".utf8),
  ]

  static func document(_ generator: inout SeededGenerator, count: Int) -> [UInt8] {
    // Mostly valid parts: a fault ends input validation and hides what follows.
    var result: [UInt8] = []
    while result.count < count {
      let isClean = Int.random(in: 0..<40, using: &generator) > 0
      result += parts[Int.random(in: 0..<(isClean ? 5 : parts.count), using: &generator)]
    }
    return result
  }

  @Test("the fastest kernel is one of this machine's")
  func best() {
    let best = feedscan_best_kernel()
    #expect(feedscan_has_kernel(FEEDSCAN_SCALAR) && feedscan_has_kernel(best))
    #expect(Self.kernels.isEmpty == (best == FEEDSCAN_SCALAR))
  }

  @Test("they find the same clean prefix, fault, and counts of lines and continuation bytes")
  func inputValidation() {
    var generator = SeededGenerator(seed: 1)
    var verdicts: Set<UInt32> = []
    for _ in 0..<4_000 {
      let bytes = Self.document(&generator, count: Int.random(in: 0...400, using: &generator))
      let scalar = feedscan_validate(bytes, bytes.count, FEEDSCAN_SCALAR)
      #expect(scalar.newlines == bytes[..<scalar.clean].count { $0 == 0x0A })
      #expect(scalar.continuations == bytes[..<scalar.clean].count { $0 & 0xC0 == 0x80 })
      for kernel in Self.kernels {
        let found = feedscan_validate(bytes, bytes.count, kernel)
        #expect(found.agrees(with: scalar), "kernel \(kernel)")
      }
      verdicts.insert(scalar.verdict.rawValue)
    }
    #expect(verdicts.count == 5, "every verdict must have been met")
  }

  @Test("they agree with the standard library about UTF-8")
  func utf8() {
    var generator = SeededGenerator(seed: 2)
    var valid = 0
    for _ in 0..<20_000 {
      // Longer than a block and the bytes read after it, so that blocks are validated at all.
      var bytes = [UInt8](repeating: 0x61, count: 150)
      let start = Int.random(in: 0..<146, using: &generator)
      let scalars: [[UInt8]] = [[0xC3, 0xA9], [0xE2, 0x82, 0xAC], [0xF0, 0x9F, 0x98, 0x80]]
      let sequence = scalars.randomElement(using: &generator) ?? []
      bytes.replaceSubrange(start..<start + sequence.count, with: sequence)
      let offset = start + Int.random(in: 0..<sequence.count, using: &generator)
      if Bool.random(using: &generator) {
        bytes[offset] = UInt8.random(in: 0x80...0xFF, using: &generator)
      }
      let isValid = String(validating: bytes, as: UTF8.self) != nil
      valid += isValid ? 1 : 0
      for kernel in [FEEDSCAN_SCALAR] + Self.kernels {
        let isClean = feedscan_validate(bytes, bytes.count, kernel).verdict == FEEDSCAN_CLEAN
        #expect(isClean == isValid, "\(bytes[start...].prefix(5)) at \(start), kernel \(kernel)")
        #expect(feedscan_is_utf8(bytes, bytes.count, kernel) == isValid)
      }
    }
    #expect(valid > 1_000 && valid < 19_000)
  }

  @Test("complete, truncated and malformed characters are found at every offset and length")
  func utf8Edges() {
    let texts: [[UInt8]] = [
      [0xC3, 0xA9], [0xE2, 0x82, 0xAC], [0xF0, 0x9F, 0x98, 0x80], [0xC3], [0xE2, 0x82],
      [0xF0, 0x9F, 0x98], [0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
    ]
    for text in texts {
      for before in 0..<200 {
        for after in [0, 1, 2, 61, 62, 63, 64, 65] {
          let bytes =
            [UInt8](repeating: 0x61, count: before) + text + [UInt8](repeating: 0x62, count: after)
          let isValid = String(validating: bytes, as: UTF8.self) != nil
          for kernel in [FEEDSCAN_SCALAR] + Self.kernels {
            #expect(
              feedscan_is_utf8(bytes, bytes.count, kernel) == isValid,
              "\(text) after \(before), before \(after), kernel \(kernel)")
          }
        }
      }
    }
    #expect(feedscan_is_utf8([], 0, feedscan_best_kernel()))
  }

  @Test("they mark the same brackets for any chunks")
  func splitter() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<2_000 {
      let bytes = Self.document(&generator, count: Int.random(in: 0...600, using: &generator))
      let whole = split(bytes, kernel: FEEDSCAN_SCALAR, chunkSize: bytes.count + 1)
      let chunkSize = Int.random(in: 1...200, using: &generator)
      for kernel in Self.kernels {
        #expect(split(bytes, kernel: kernel, chunkSize: chunkSize) == whole, "kernel \(kernel)")
        #expect(
          split(bytes, kernel: kernel, chunkSize: bytes.count + 1) == whole, "kernel \(kernel)")
      }
    }
  }

  private func split(_ bytes: [UInt8], kernel: feedscan_kernel, chunkSize: Int) -> [Int] {
    var state = feedscan_splitter()
    var marks = [UInt32](repeating: 0, count: 128)
    var found: [Int] = []
    var offset = 0
    while offset < bytes.count {
      let end = min(bytes.count, offset + chunkSize)
      let result = feedscan_split(&state, bytes, offset, end, &marks, marks.count, kernel)
      found += marks[..<result.marks].map { Int($0) }
      offset = result.stopped
      if result.closed { return found + [-offset] }
    }
    return found
  }

  @Test("they mark the same line feeds for any chunks and counts")
  func lines() {
    var generator = SeededGenerator(seed: 7)
    for round in 0..<1_000 {
      let maximum = round.isMultiple(of: 2) ? 3 : 90
      var bytes: [UInt8] = []
      while bytes.count < 500 {
        let count = Int.random(in: 0...maximum, using: &generator)
        bytes += [UInt8](repeating: 0x61, count: count) + [0x0A]
      }
      let feeds = bytes.indices.filter { bytes[$0] == 0x0A }
      let chunkSize = Int.random(in: 1...300, using: &generator)
      for kernel in [FEEDSCAN_SCALAR] + Self.kernels {
        for capacity in [1, 63, 64, 65, 600] {
          #expect(
            lines(bytes, kernel, chunkSize, capacity) == feeds,
            "kernel \(kernel), capacity \(capacity)")
        }
      }
    }
  }

  private func lines(
    _ bytes: [UInt8], _ kernel: feedscan_kernel, _ chunkSize: Int, _ capacity: Int
  ) -> [Int] {
    var found: [Int] = []
    var offset = 0
    let sentinel = UInt32.max
    var marks = [UInt32](repeating: sentinel, count: capacity + 1)
    while offset < bytes.count {
      let end = min(bytes.count, offset + chunkSize)
      let result = feedscan_find_lines(bytes, offset, end, &marks, capacity, kernel)
      found += marks[..<result.marks].map { Int($0) }
      if marks[capacity] != sentinel {
        Issue.record("kernel \(kernel) wrote past \(capacity) marks")
      }
      if result.stopped < end, result.marks < capacity { return found + [-1] }
      offset = result.stopped
    }
    return found
  }

  @Test("a plain gap is exactly one comma and white space")
  func plainGaps() {
    let gaps: [(String, Bool)] = [
      (",", true), (",\n  ", true), (" \t\r\n,", true), ("", false), (" ", false), (",,", false),
      ("x", false), (",x", false), ("\u{C},", false), (", ,", false), ("  ", false),
    ]
    for (gap, isPlain) in gaps {
      let bytes = Array("},\(gap),{".utf8)
      #expect(
        feedscan_is_plain_gap(bytes, 2, bytes.count - 2) == isPlain, "\(gap.debugDescription)")
    }
  }

  @Test("a plain gap between members is a comma, a short key without escapes, and a colon")
  func plainMemberGaps() {
    let gaps: [(String, Bool)] = [
      (#","a":"#, true), (" ,\r\n\t\"ü:,{}\" :\n", true), (#","":"#, true), (#","123456":"#, true),
      (#","1234567":"#, false), (#","a\"":"#, false), (#","\u00":"#, false), ("", false),
      (",", false),
      (#","a""#, false), (#""a":"#, false), (#",,"a":"#, false), (#","a"::"#, false),
      (#","a":1"#, false), (#","a"#, false), (#",a:"#, false), (",\"\u{1}\":", false),
      (#","a":,"b":"#, false),
    ]
    for (gap, isPlain) in gaps {
      let bytes = Array("}{\(gap){\"".utf8)
      #expect(
        feedscan_is_plain_member_gap(bytes, 2, bytes.count - 2, 6) == isPlain,
        "\(gap.debugDescription)")
    }
  }
}

extension feedscan_validate_result {
  func agrees(with other: Self) -> Bool {
    clean == other.clean && verdict == other.verdict && newlines == other.newlines
      && continuations == other.continuations
  }
}
