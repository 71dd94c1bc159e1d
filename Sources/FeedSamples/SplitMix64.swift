/// The SplitMix64 generator (Steele, Lea, Flood 2014): fast, with the same numbers on every
/// machine.
///
/// It is not a `RandomNumberGenerator`: the standard library may change how `random(in:using:)`
/// draws from one, and a sample must stay the same for its seed.
package struct SplitMix64 {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// A number in `0..<bound`, or 0 for a bound below 1.
  package mutating func index(below bound: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(max(bound, 1))).high)
  }

  /// True once in `interval` draws on average.
  mutating func isOne(in interval: Int) -> Bool {
    index(below: interval) == 0
  }

  /// A random element of a nonempty array.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[index(below: elements.count)]
  }
}
