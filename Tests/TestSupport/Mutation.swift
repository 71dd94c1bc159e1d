/// Changes to bytes as an attacker or a failing disk would make them.
package enum Mutation {
  package static func mutated(
    _ original: [UInt8], using random: inout SeededGenerator
  ) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
      // Half of the changes hit the header and the field table, and thus everything that depends on
      // them.
      let reach = Bool.random(using: &random) ? bytes.count : min(bytes.count, 100)
      let place = Int.random(in: 0..<reach, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes[place] = 0xFF
      case 3: bytes[place] = 0
      case 4: bytes.removeLast(bytes.count - place)
      default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
      }
    }
    return bytes
  }
}
