/// The parser's limits, defined again so that the judge shares no code with the parser.
struct Limits: Hashable {
  var depth = 128
  var recordBytes = 16 << 20
  var stringBytes = 16 << 20
  var keyBytes = 64 << 10
  var numberBytes = 1000
  var siblingBytes = 1 << 20
  var listElements = 1 << 20

  /// The parser's defaults.
  static let standard = Limits()

  /// Limits so small that many documents exceed them; the defaults three times out of four.
  static func random(using random: inout DocumentGenerator) -> Limits {
    var limits = Limits()
    guard random.below(4) == 0 else { return limits }
    if random.below(3) == 0 { limits.depth = 1 + random.below(8) }
    if random.below(3) == 0 { limits.recordBytes = random.skewed(bits: 9) }
    if random.below(3) == 0 { limits.stringBytes = random.skewed(bits: 6) }
    if random.below(3) == 0 { limits.keyBytes = random.skewed(bits: 6) }
    if random.below(3) == 0 { limits.numberBytes = random.skewed(bits: 5) }
    if random.below(3) == 0 { limits.siblingBytes = random.skewed(bits: 8) }
    if random.below(3) == 0 { limits.listElements = 1 + random.below(4) }
    return limits
  }
}
