/// Characters of a series: a name, a status, a species, a picture.
struct CharacterSamples: SampleRecords {
  private let givenNames: [[UInt8]]
  private let surnames: [[UInt8]]
  private let statuses: [[UInt8]]
  private let species: [[UInt8]]
  private let start: [UInt8]
  private let statusKey: [UInt8]
  private let speciesKey: [UInt8]
  private let imageKey: [UInt8]
  private let end: [UInt8]

  init(style: SampleStyle) {
    givenNames = SampleWords.givenNames.map { [UInt8](text: $0) }
    surnames = SampleWords.surnames.map { [UInt8](text: $0) }
    statuses = ["Alive", "Alive", "Dead", "unknown"].map { [UInt8](text: $0) }
    species = SampleWords.species.map { [UInt8](text: $0) }
    start = [UInt8](text: "{" + style.key("name", isFirst: true) + "\"")
    statusKey = [UInt8](text: "\"" + style.key("status") + "\"")
    speciesKey = [UInt8](text: "\"" + style.key("species") + "\"")
    imageKey = [UInt8](text: "\"" + style.key("image") + "\"https://example.com/characters/")
    end = [UInt8](text: ".jpeg\"" + style.end())
  }

  mutating func append(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    buffer.append(start)
    buffer.append(random.pick(givenNames))
    buffer.append(0x20)
    if random.isOne(in: 4) {
      // Adds an initial, as in `Rosa K. Lind`.
      buffer.append(UInt8(truncatingIfNeeded: 0x41 + random.index(below: 26)))
      buffer.append(0x2E)
      buffer.append(0x20)
    }
    buffer.append(random.pick(surnames))
    buffer.append(statusKey)
    buffer.append(random.pick(statuses))
    buffer.append(speciesKey)
    buffer.append(random.pick(species))
    buffer.append(imageKey)
    buffer.append(hexadecimal: random.next(), digits: 8)
    buffer.append(end)
  }
}
