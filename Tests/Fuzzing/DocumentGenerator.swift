import TestSupport

/// The random numbers for one document of a run.
struct DocumentGenerator: RandomNumberGenerator {
  private var generator: SeededGenerator

  /// The generator for one document of a run, so that a single document can be reproduced.
  init(seed: UInt64, document: Int) {
    var run = SeededGenerator(seed: seed)
    generator = SeededGenerator(seed: run.next() ^ UInt64(truncatingIfNeeded: document))
  }

  mutating func next() -> UInt64 { generator.next() }

  /// A number below `bound`, which is at least 1. Its bias does not matter to a fuzzer.
  mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// A number from 1 to about `1 << bits`, small ones as likely as large ones.
  mutating func skewed(bits: Int) -> Int { 1 + below(1 << below(bits + 1)) }

  mutating func element<Element>(of elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}
