/// Changes documents as typing errors, broken transfers and attacks do.
struct Mutator {
  private let seeds: SeedDocuments
  /// The longest document made from a short one.
  static let longest = 48 << 10
  /// The opening, separator and closing of long documents.
  private static let parts = [
    ("[", ",", "]"), ("[\n  ", ",\n  ", "\n]\n"), ("{\"items\":[", ",", "],\"n\":1}"),
    ("", "\n", "\n"), ("", "\r\n", ""),
  ]

  init(seeds: SeedDocuments) { self.seeds = seeds }

  /// A document that depends only on the generator's seed and the seed documents.
  func document(using random: inout DocumentGenerator) -> [UInt8] {
    let isLong = random.below(512) == 0
    var document = isLong ? Self.long(using: &random) : seeds.random(using: &random)
    // Few changes leave many documents valid; many changes reach states that few do not.
    let changes = random.below(16) == 0 ? random.below(24) : random.below(4)
    for _ in 0..<changes { mutate(&document, using: &random) }
    if !isLong, document.count > Self.longest { document.removeSubrange(Self.longest...) }
    return document
  }

  // Longer than the parser reads at a time, so that records cross these boundaries.
  private static func long(using random: inout DocumentGenerator) -> [UInt8] {
    let (opening, joint, closing) = random.element(of: parts)
    let records = [
      Array(#"{"name":"é\n","tags":["a","b"]}"#.utf8), Array("{}".utf8),
      Array("{\"by\":{\"id\":\"\(String(repeating: "漢", count: random.skewed(bits: 12)))\"}}".utf8),
    ]
    var document = Array(opening.utf8)
    let count = (random.below(4) + 1) << 16
    while document.count < count {
      document += random.element(of: records)
      document += Array(joint.utf8)
    }
    document += Array("{\"name\":\"last\"}\(closing)".utf8)
    return document
  }

  private func mutate(_ document: inout [UInt8], using random: inout DocumentGenerator) {
    guard !document.isEmpty else {
      document = seeds.random(using: &random)
      return
    }
    let place = Self.place(in: document, using: &random)
    let slice = Self.slice(of: document, from: place, using: &random)
    switch random.below(16) {
    case 0: document[place] ^= 1 << UInt8(random.below(8))
    case 1, 2: document[place] = random.element(of: Tokens.bytes)
    case 3, 4: document.insert(random.element(of: Tokens.bytes), at: place)
    case 5, 6: document.removeSubrange(slice)
    case 7: document.insert(contentsOf: document[slice], at: place)
    case 8: document.insert(contentsOf: document[slice], at: random.below(document.count))
    case 9: splice(&document, at: place, using: &random)
    case 10: document.removeSubrange(place...)
    case 11: nest(&document, slice, using: &random)
    case 12: document.replaceSubrange(slice, with: random.element(of: Tokens.words))
    default: document.insert(contentsOf: random.element(of: Tokens.words), at: place)
    }
  }

  // Any offset, or one next to punctuation, where tokens meet.
  private static func place(in document: [UInt8], using random: inout DocumentGenerator) -> Int {
    let place = random.below(document.count)
    guard random.below(2) == 0 else { return place }
    let found = document[place...].firstIndex { Tokens.punctuation.contains($0) } ?? place
    return min(found + random.below(2), document.count - 1)
  }

  private static func slice(
    of document: [UInt8], from place: Int, using random: inout DocumentGenerator
  ) -> Range<Int> {
    place..<min(document.count, place + random.skewed(bits: 6))
  }

  // The beginning of one document and the end of another.
  private func splice(
    _ document: inout [UInt8], at place: Int, using random: inout DocumentGenerator
  ) {
    let other = seeds.random(using: &random)
    guard !other.isEmpty else { return }
    document.replaceSubrange(place..., with: other[random.below(other.count)...])
  }

  // Brackets around a slice, in pairs or not quite.
  private func nest(
    _ document: inout [UInt8], _ slice: Range<Int>, using random: inout DocumentGenerator
  ) {
    let depth = random.below(8) == 0 ? 126 + random.below(5) : 1 + random.below(6)
    let (opening, closing) = random.element(of: Tokens.brackets)
    let missing = random.below(4) == 0 ? 1 : 0
    document.insert(
      contentsOf: repeatElement(closing, count: depth - missing).joined(), at: slice.upperBound)
    document.insert(
      contentsOf: repeatElement(opening, count: depth).joined(), at: slice.lowerBound)
  }
}
