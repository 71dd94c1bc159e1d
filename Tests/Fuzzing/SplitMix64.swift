/// A generator whose numbers depend on its seed alone.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  /// The generator of one document of a run, so that a document can be made again by itself.
  init(seed: UInt64, document: Int) {
    state = seed
    state = next() ^ UInt64(truncatingIfNeeded: document)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number below `bound`, which is at least 1. Its bias is nothing to a fuzzer.
  mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// A number from 1 to about `1 << bits`, small ones as likely as large ones.
  mutating func skewed(bits: Int) -> Int { 1 + below(1 << below(bits + 1)) }

  mutating func element<Element>(of elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}
