/// Universities with the fields of common university dumps, about 240 bytes each when indented.
struct UniversitySamples: SampleRecords {
  private enum NamePart {
    case text([UInt8])
    case city
    case patron
    case field
  }

  private struct City {
    let name: [UInt8]
    let host: [UInt8]
    let region: [UInt8]
  }

  private struct Country {
    let domainEnding: [UInt8]
    let cities: [City]
    let nameForms: [[NamePart]]
    /// The keys and values from `country` up to the value of `state-province`.
    let fields: [UInt8]
  }

  private let countries: [Country]
  private let givenNames: [[UInt8]]
  private let surnames: [[UInt8]]
  private let fields: [[UInt8]]
  private let start: [UInt8]
  private let domainsKey: [UInt8]
  private let pagesKey: [UInt8]
  private let listComma: [UInt8]
  private let studentHost: [UInt8]
  private let libraryHost: [UInt8]
  private let end: [UInt8]
  private let null = [UInt8](text: "null")
  private let secure = [UInt8](text: "https://")
  private let plain = [UInt8](text: "http://www.")
  private var host: [UInt8] = []

  init(style: SampleStyle) {
    countries = SamplePlaces.countries.map { Self.country($0, style: style) }
    givenNames = SampleWords.givenNames.map { [UInt8](text: $0) }
    surnames = SampleWords.surnames.map { [UInt8](text: $0) }
    fields = SampleWords.fields.map { [UInt8](text: $0) }
    start = [UInt8](text: "{" + style.key("name", isFirst: true) + "\"")
    domainsKey = [UInt8](text: "\"" + style.key("domains") + "[\"")
    pagesKey = [UInt8](text: "\"]" + style.key("web_pages") + "[\"")
    listComma = [UInt8](text: "\"" + style.listComma + "\"")
    studentHost = [UInt8](text: "student.")
    libraryHost = [UInt8](text: "library.")
    end = [UInt8](text: style.end())
    host.reserveCapacity(64)
  }

  mutating func append(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    let country = random.pick(countries)
    let city = random.pick(country.cities)
    buffer.append(start)
    appendName(in: city, of: country, to: &buffer, using: &random)
    makeHost(in: city, of: country, using: &random)
    buffer.append(domainsKey)
    if random.isOne(in: 8) {
      buffer.append(studentHost)
      buffer.append(host)
      buffer.append(listComma)
    }
    buffer.append(host)
    buffer.append(pagesKey)
    appendPages(to: &buffer, using: &random)
    buffer.append(country.fields)
    appendRegion(of: city, to: &buffer, using: &random)
    buffer.append(end)
  }

  private func appendName(
    in city: City, of country: Country, to buffer: inout SampleBuffer,
    using random: inout SplitMix64
  ) {
    for part in random.pick(country.nameForms) {
      switch part {
      case .text(let text): buffer.append(text)
      case .city: buffer.append(city.name)
      case .patron:
        buffer.append(random.pick(givenNames))
        buffer.append(0x20)
        buffer.append(random.pick(surnames))
      case .field: buffer.append(random.pick(fields))
      }
    }
  }

  private mutating func makeHost(
    in city: City, of country: Country, using random: inout SplitMix64
  ) {
    host.removeAll(keepingCapacity: true)
    host.append(contentsOf: city.host)
    var number = random.index(below: 10_000)
    for _ in 0..<4 {
      host.append(UInt8(truncatingIfNeeded: 0x30 + number % 10))
      number /= 10
    }
    host.append(contentsOf: country.domainEnding)
  }

  private func appendPages(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    buffer.append(random.isOne(in: 3) ? plain : secure)
    buffer.append(host)
    buffer.append(0x2F)
    if random.isOne(in: 15) {
      buffer.append(listComma)
      buffer.append(secure)
      buffer.append(libraryHost)
      buffer.append(host)
      buffer.append(0x2F)
    }
  }

  private func appendRegion(
    of city: City, to buffer: inout SampleBuffer, using random: inout SplitMix64
  ) {
    if random.isOne(in: 2) {
      buffer.append(0x22)
      buffer.append(city.region)
      buffer.append(0x22)
    } else {
      buffer.append(null)
    }
  }

  private static func country(_ country: SamplePlaces.Country, style: SampleStyle) -> Country {
    Country(
      domainEnding: [UInt8](text: country.domainEnding),
      cities: country.cities.map { city in
        City(
          name: [UInt8](text: city.name), host: [UInt8](text: city.host),
          region: [UInt8](text: city.region))
      },
      nameForms: (SampleWords.universityNames + country.universityNames).map(nameForm),
      fields: [UInt8](
        text: "\"]" + style.key("country") + "\"\(country.name)\""
          + style.key("alpha_two_code") + "\"\(country.code)\"" + style.key("state-province")))
  }

  /// Parses a pattern such as `@ University of #, %`: `@` is a person, `#` a field, `%` the city.
  private static func nameForm(_ form: String) -> [NamePart] {
    var parts: [NamePart] = []
    var text = ""
    for character in form {
      let part: NamePart
      switch character {
      case "%": part = .city
      case "@": part = .patron
      case "#": part = .field
      default:
        text.append(character)
        continue
      }
      if !text.isEmpty { parts.append(.text([UInt8](text: text))) }
      text = ""
      parts.append(part)
    }
    if !text.isEmpty { parts.append(.text([UInt8](text: text))) }
    return parts
  }
}
