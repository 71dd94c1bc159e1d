/// Makes documents of many mutated records, so that a lane learns and then replays.
struct RecordMutator {
  /// A document and its limits.
  struct Document {
    var bytes: [UInt8]
    var limits = Limits.standard
  }

  #if EXACT_SEGMENTS
    // The last record of a document is the one that ends at the padding.
    private static let recordCounts = 2...40
  #else
    private static let recordCounts = 64...256
  #endif
  private static let longestRecord = 8 << 10
  private static let joints = [",", ",", ", ", ",\n  ", " ,\r\n"].map { Array($0.utf8) }

  private let seeds: SeedRecords

  init(seeds: SeedRecords) { self.seeds = seeds }

  /// A document that depends only on the generator's seed and the seed records.
  func document(using random: inout DocumentGenerator) -> Document {
    let family = random.element(of: seeds.families)
    let members = (0..<1 + random.below(8)).map { _ in random.element(of: family) }
    let count = Self.recordCounts.lowerBound + random.below(Self.recordCounts.count)
    return random.below(4) == 0
      ? array(of: members, count, using: &random) : lines(of: members, count, using: &random)
  }

  // Bad lines are skipped, so half of them may be bad.
  private func lines(
    of members: [SeedRecords.Seed], _ count: Int, using random: inout DocumentGenerator
  ) -> Document {
    // The first line decides that the document is lines.
    var bytes = members[0].bytes
    for index in 1..<count {
      bytes.append(0x0A)
      // Each form is learned early.
      bytes += index < members.count ? members[index].bytes : mutant(of: members, using: &random)
    }
    let hasLimits = random.below(5) == 0
    return Document(bytes: bytes, limits: hasLimits ? limits(using: &random) : .standard)
  }

  // A bad record ends an array, so only the last one may be bad.
  private func array(
    of members: [SeedRecords.Seed], _ count: Int, using random: inout DocumentGenerator
  ) -> Document {
    let joint = random.element(of: Self.joints)
    var bytes: [UInt8] = [0x5B]
    for index in 0..<count {
      if index > 0 { bytes += joint }
      let mutant = mutant(of: members, using: &random)
      let isWanted = index == count - 1 || Self.isRecord(mutant)
      bytes += isWanted ? mutant : random.element(of: members).bytes
    }
    bytes.append(0x5D)
    return Document(bytes: bytes)
  }

  private static func isRecord(_ bytes: [UInt8]) -> Bool {
    guard bytes.first == 0x7B else { return false }
    var scanner = StrictScanner(bytes, in: 0..<bytes.count, limits: .standard)
    while let token = scanner.next() {
      if token == .end { return true }
    }
    return false
  }

  private func limits(using random: inout DocumentGenerator) -> Limits {
    var limits = Limits.standard
    switch random.below(6) {
    case 0: limits.depth = 2 + random.below(4)
    case 1: limits.stringBytes = random.skewed(bits: 6)
    case 2: limits.keyBytes = 4 + random.skewed(bits: 6)
    case 3: limits.numberBytes = random.skewed(bits: 3)
    default: limits.listElements = 1 + random.below(3)
    }
    return limits
  }

  private func mutant(
    of members: [SeedRecords.Seed], using random: inout DocumentGenerator
  ) -> [UInt8] {
    let seed = random.element(of: members)
    let way = random.below(16)
    if way < 2 { return splice(seed, random.element(of: members), using: &random) }
    var bytes = seed.bytes
    if way < 12 { changeValues(of: seed, in: &bytes, using: &random) }
    if way >= 7 {
      for _ in 0..<1 + random.below(3) { change(&bytes, members, using: &random) }
    }
    return bytes
  }

  // The beginning of one record and the end of another, joined after values that are mostly of the
  // same kind: all glue is known, and only the state decides whether it may follow.
  private func splice(
    _ seed: SeedRecords.Seed, _ other: SeedRecords.Seed, using random: inout DocumentGenerator
  ) -> [UInt8] {
    guard !seed.values.isEmpty else { return seed.bytes }
    let value = random.element(of: seed.values)
    let isAnyKind = random.below(4) == 0
    let candidates = other.values.filter { isAnyKind || $0.isString == value.isString }
    guard !candidates.isEmpty else { return seed.bytes }
    let end = random.element(of: candidates).range.upperBound
    return Array(seed.bytes[..<value.range.upperBound]) + other.bytes[end...]
  }

  // The glue does not change.
  private func changeValues(
    of seed: SeedRecords.Seed, in bytes: inout [UInt8], using random: inout DocumentGenerator
  ) {
    guard !seed.values.isEmpty else { return }
    let last = random.below(seed.values.count)
    let first = random.below(last + 1)
    for value in first == last ? [seed.values[last]] : [seed.values[last], seed.values[first]] {
      let strings = random.below(8) == 0 ? Self.elements : Self.texts
      let text = random.element(of: value.isString ? strings : Self.numbers)
      let range = value.range
      // Some texts replace a whole value, some only its bytes from an offset on.
      let isPart = value.isString && !range.isEmpty && random.below(2) == 0
      let start = isPart ? range.lowerBound + random.below(range.count) : range.lowerBound
      bytes.replaceSubrange(start..<range.upperBound, with: text)
    }
  }

  private func change(
    _ bytes: inout [UInt8], _ members: [SeedRecords.Seed], using random: inout DocumentGenerator
  ) {
    guard !bytes.isEmpty, bytes.count < Self.longestRecord else { return }
    let position = random.below(bytes.count)
    switch random.below(10) {
    case 0: bytes[position] = UInt8(truncatingIfNeeded: random.next())
    case 1: bytes[position] ^= 1 << UInt8(random.below(8))
    case 2: bytes.removeSubrange(position..<min(position + 1 + random.below(4), bytes.count))
    case 3:
      let other = random.element(of: members).bytes
      let start = random.below(other.count)
      bytes.insert(
        contentsOf: other[start..<min(start + random.below(24), other.count)], at: position)
    case 4:
      let start = random.below(bytes.count)
      bytes.insert(
        contentsOf: bytes[start..<min(start + random.below(40), bytes.count)], at: position)
    case 5:
      let part = random.element(of: Self.parts)
      bytes.replaceSubrange(
        position..<min(position + part.count, bytes.count), with: part)
    case 6:
      // A record that ends in the middle of a learned form.
      bytes.removeSubrange(position...)
      bytes.append(0x7D)
    default: bytes.insert(contentsOf: random.element(of: Self.parts), at: position)
    }
  }

  private static let texts: [[UInt8]] =
    [
      "", "x", "a longer text", #"\n"#, #"\u00e9"#, #"\ud83d\ude00"#, #"\"quoted\""#, #"\\"#, "é中😀",
      #"tab\tand \/ slash"#, #"\u0000"#, #"\u0416\u0430\u0431\u0430"#, "\u{7F}",
    ].map { Array($0.utf8) }
    // Around the size of a block, with and without an escape.
    + [0, 1, 2, 14, 28, 61, 62, 63, 64, 65, 66, 126, 127, 128, 129].flatMap { count in
      let text = [UInt8](repeating: 0x61, count: count)
      return [text, text + Array(#"\n"#.utf8), text + Array(#"\u00e9"#.utf8) + text]
    }

  // Texts that add elements to a list.
  private static let elements = [
    #"a","b"#, #"a","b","c"#, #"a","b","c","d"#, #"a",1,"b"#, #"a",null,"b"#,
  ].map { Array($0.utf8) }

  private static let numbers = [
    "0", "-0", "1", "12", "-7", "1.5", "0.0", "1e5", "-1.25E-3", "10",
    "123456789012345678901234567890",
    "1E+2", "0e0", "1,2",
  ].map { Array($0.utf8) }

  private static let parts: [[UInt8]] =
    [
      "\"", "\\", ",", ":", "{", "}", "[", "]", "null", "true", "false", "0", "-", "1.5", "e",
      "E+1",
      ".", "\\u", "\\ud800", "\\udc00", "\\ud83d\\ude00", "\\n", "\\x", " ", "\n", "\t", "\r",
      "\u{0B}", "\u{0C}", "\u{01}", "\u{1F}", "\u{7F}", "é", "\"n\":", "\"name\":", ",\"n\":1",
      ",\"title\":\"x\"", "\"\"", "[]", "{}", "NaN", "/**/", "'", "01", "00", "-0", "\"a\":{\"b\":",
      "tru", "nul", "\u{2029}", "\"name\":\"n\",", "\"tags\":[\"t\"],", "\"by\":{\"id\":\"2\"},",
      "\"other\":{\"name\":1},", "\"tags\":[\"a\",\"b\",\"c\",\"d\",\"e\"],", "1.", "1e", "},{",
    ].map { Array($0.utf8) } + [
      [0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0xAF],
    ]
}
