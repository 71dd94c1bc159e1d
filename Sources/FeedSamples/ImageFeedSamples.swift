/// Images of an image feed: an identifier, a description and a location that may be missing, a URL.
struct ImageFeedSamples: SampleRecords {
  private let text = SampleText()
  private let locations: [[UInt8]]
  private let start: [UInt8]
  private let descriptionKey: [UInt8]
  private let noDescription: [UInt8]
  private let locationKey: [UInt8]
  private let imageKey: [UInt8]
  private let end: [UInt8]

  init(style: SampleStyle) {
    locations = SamplePlaces.locations.map { [UInt8](text: $0) }
    start = [UInt8](text: "{" + style.key("id", isFirst: true) + "\"")
    descriptionKey = [UInt8](text: style.key("description") + "\"")
    noDescription = [UInt8](text: style.key("description") + "null")
    locationKey = [UInt8](text: style.key("location") + "\"")
    imageKey = [UInt8](text: style.key("image") + "\"https://images.example.com/feed/")
    end = [UInt8](text: ".jpg\"" + style.end())
  }

  mutating func append(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    buffer.append(start)
    buffer.appendUUID(using: &random)
    buffer.append(0x22)
    switch random.index(below: 20) {
    case 0:
      buffer.append(noDescription)
    case 1..<16:
      buffer.append(descriptionKey)
      text.appendSentence(to: &buffer, using: &random)
      buffer.append(0x22)
    default:
      break
    }
    if !random.isOne(in: 3) {
      buffer.append(locationKey)
      buffer.append(random.pick(locations))
      buffer.append(0x22)
    }
    buffer.append(imageKey)
    buffer.append(hexadecimal: random.next(), digits: 12)
    buffer.append(end)
  }
}
