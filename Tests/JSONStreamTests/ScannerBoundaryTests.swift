import CFeedScan
import TestSupport
import Testing

/// Faults that cross the boundary between two blocks of a kernel.
@Suite("The scanners at the boundaries of blocks")
struct ScannerBoundaryTests {
  private static let morsels: [[UInt8]] =
    [
      "\\ud83d\\ude00", "\\uD83D\\uDE00\\uDBFF\\uDFFF", "\\ud83d", "\\udc00", "\\ud83d\\u0041",
      "\\ud83d\\ud83d\\ude00", "\\ud83d\\\\ude00", "\\ud83d\n\\ude00", "\\ud83dé", "\\ud83\\ude00",
      "\\\\ud83d", "\\\\\\ud83d", "\\\\\\\\\\udc00", "\\ud7ff\\ue000", "\\u00e9", "\\uzzzz",
      "\\u\u{B}123", "\\\u{C}", "\\é", "\\\n", "\u{B}", "\n\n\n", "é€😀\n", "{}", "[],{},[[]]", "]",
      "\"]\"", "\"\\\"]\"", "\"\\\\\"]", "\\\"]", "\\]", "{\"a\":[1]},{\"b\":[[2]]}",
      String(repeating: "\\", count: 63), String(repeating: "\\", count: 64) + "\"]",
      String(repeating: "\\", count: 65) + "\"]", String(repeating: "\\", count: 129) + "udc00",
      String(repeating: "[]", count: 70), String(repeating: "[", count: 70),
    ].map { Array($0.utf8) } + [
      [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80],
      [0xE2, 0x28, 0xA1], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
    ]

  /// A morsel at every offset around the end of a block, with every length from there on. The bytes
  /// end inside the morsel, right after it, or a block later.
  private func eachCut(_ body: ([UInt8]) -> Void) {
    for morsel in Self.morsels {
      for offset in 48...72 {
        let bytes = [UInt8](repeating: 0x61, count: offset) + morsel
        for count in offset...bytes.count { body(Array(bytes[..<count])) }
        for rest in [3, 64, 67, 68, 69, 140] {
          body(bytes + [UInt8](repeating: 0x62, count: rest))
          body(bytes + [UInt8](repeating: 0x62, count: rest) + [0x0B])
        }
      }
    }
  }

  @Test("input validation agrees with its scalar twin")
  func inputValidation() {
    eachCut { bytes in
      let scalar = feedscan_validate(bytes, bytes.count, FEEDSCAN_SCALAR)
      for kernel in ScannerTests.kernels {
        let found = feedscan_validate(bytes, bytes.count, kernel)
        if !found.agrees(with: scalar) { Issue.record("kernel \(kernel) on \(bytes)") }
      }
    }
  }

  @Test("the splitter agrees with its scalar twin from every state and with any space for marks")
  func splitter() {
    let states = [(0, 0, 0), (0, 0, 1), (~0, 0, 0), (~0, 1, 1), (0, 1, 0), (0, 0, 70)].map {
      feedscan_splitter(
        in_string: UInt64(truncatingIfNeeded: $0.0), escaped: $0.1, depth: $0.2)
    }
    eachCut { bytes in
      for state in states {
        for capacity in [0, 63, 64, 200] {
          let scalar = outcome(bytes, state, capacity: capacity, kernel: FEEDSCAN_SCALAR)
          for kernel in ScannerTests.kernels {
            let found = outcome(bytes, state, capacity: capacity, kernel: kernel)
            if found != scalar {
              Issue.record("kernel \(kernel), capacity \(capacity) on \(bytes)")
            }
          }
        }
      }
    }
  }

  @Test("the splitter agrees with its scalar twin on every order of brackets at every depth")
  func orders() {
    for depth: Int64 in 0...4 {
      let state = feedscan_splitter(in_string: 0, escaped: 0, depth: depth)
      for count in 0...9 {
        for order in 0..<1 << count {
          var bytes = [UInt8](repeating: 0x20, count: 128)
          for index in 0..<count {
            let kinds: [UInt8] = index.isMultiple(of: 2) ? [0x7B, 0x7D] : [0x5B, 0x5D]
            bytes[3 + 7 * index] = kinds[order >> index & 1]
          }
          let scalar = outcome(bytes, state, capacity: 200, kernel: FEEDSCAN_SCALAR)
          for kernel in ScannerTests.kernels {
            let found = outcome(bytes, state, capacity: 200, kernel: kernel)
            if found != scalar { Issue.record("kernel \(kernel), depth \(depth) on \(bytes)") }
          }
        }
      }
    }
  }

  /// The result of a call of the splitter, and its state after it.
  private func outcome(
    _ bytes: [UInt8], _ before: feedscan_splitter, capacity: Int, kernel: feedscan_kernel
  ) -> [Int] {
    var state = before
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: capacity + 1) { marks in
      let sentinel = UInt32.max
      marks[capacity] = sentinel
      let result = feedscan_split(
        &state, bytes, 0, bytes.count, marks.baseAddress, capacity, kernel)
      if marks[capacity] != sentinel {
        Issue.record("kernel \(kernel) wrote past \(capacity) marks")
      }
      return [
        result.stopped, result.closed ? 1 : 0, Int(state.in_string & 1), Int(state.escaped),
        Int(state.depth),
      ] + marks[..<result.marks].map { Int($0) }
    }
  }

  /// Kernels scan long runs of blocks in one of two ways, depending on the previous escapes.
  @Test("long stretches with and without escapes agree")
  func stretches() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<60 {
      var bytes: [UInt8] = []
      while bytes.count < 40_000 {
        let isDense = Bool.random(using: &generator)
        let part = Array(
          (isDense ? "{\"a\":\"\\\\\\\"\\ud83d\\ude00\"}," : "{\"a\":[\"plain té\\nxt\"]},").utf8)
        for _ in 0..<Int.random(in: 0..<600, using: &generator) { bytes += part }
      }
      let fault = ScannerBoundaryTests.morsels.randomElement(using: &generator) ?? []
      bytes.insert(contentsOf: fault, at: Int.random(in: 0..<bytes.count, using: &generator))
      let scalar = feedscan_validate(bytes, bytes.count, FEEDSCAN_SCALAR)
      let state = feedscan_splitter()
      let marks = outcome(bytes, state, capacity: 4_096, kernel: FEEDSCAN_SCALAR)
      for kernel in ScannerTests.kernels {
        #expect(
          feedscan_validate(bytes, bytes.count, kernel).agrees(with: scalar), "kernel \(kernel)")
        #expect(outcome(bytes, state, capacity: 4_096, kernel: kernel) == marks, "kernel \(kernel)")
      }
    }
  }

  @Test("random bytes at every length agree")
  func everyLength() {
    var generator = SeededGenerator(seed: 4)
    for round in 0..<40 {
      let bytes = ScannerTests.document(&generator, count: 300)
      for count in 0...bytes.count {
        let shown = Array(bytes[..<count])
        let scalar = feedscan_validate(shown, count, FEEDSCAN_SCALAR)
        for kernel in ScannerTests.kernels {
          if !feedscan_validate(shown, count, kernel).agrees(with: scalar) {
            Issue.record("kernel \(kernel), round \(round), length \(count)")
          }
        }
      }
    }
  }
}
