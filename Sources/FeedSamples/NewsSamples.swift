/// News articles: long texts with escapes and all scripts, fields that are null, about 1.2 KB each.
struct NewsSamples: SampleRecords {
  private let text = SampleText()
  private let sources: [(field: [UInt8], name: [UInt8])]
  private let authors: [[UInt8]]
  private let slugs: [[UInt8]]
  private let start: [UInt8]
  private let authorKey: [UInt8]
  private let titleKey: [UInt8]
  private let descriptionKey: [UInt8]
  private let urlKey: [UInt8]
  private let imageKey: [UInt8]
  private let publishedKey: [UInt8]
  private let contentKey: [UInt8]
  private let end: [UInt8]
  private let site = [UInt8](text: "\"https://news.example.com/")
  private let images = [UInt8](text: "\"https://images.example.com/news/")
  private let imageEnding = [UInt8](text: ".png\"")
  private let null = [UInt8](text: "null")
  private let dash = [UInt8](text: " - ")
  private let paragraphBreak = [UInt8](text: #"\r\n"#)
  private let truncation = [UInt8](text: "… [+")
  private let truncationEnd = [UInt8](text: #"36 chars]""#)

  init(style: SampleStyle) {
    let inner = style.recordDepth + 1
    sources = SampleWords.newsSources.map { source in
      let identifier = source.id.map { "\"\($0)\"" } ?? "null"
      let object =
        identifier + style.key("name", depth: inner) + "\"\(source.name)\""
        + style.end(depth: inner)
      return ([UInt8](text: object), [UInt8](text: source.name))
    }
    authors = SampleWords.givenNames.prefix(24).flatMap { given in
      SampleWords.surnames.prefix(24).map { [UInt8](text: "\"\(given) \($0)\"") }
    }
    slugs = SampleWords.slugs.map { [UInt8](text: $0) }
    start = [UInt8](
      text: "{" + style.key("source", isFirst: true) + "{"
        + style.key("id", depth: inner, isFirst: true))
    authorKey = [UInt8](text: style.key("author"))
    titleKey = [UInt8](text: style.key("title") + "\"")
    descriptionKey = [UInt8](text: "\"" + style.key("description"))
    urlKey = [UInt8](text: style.key("url"))
    imageKey = [UInt8](text: style.key("urlToImage"))
    publishedKey = [UInt8](text: style.key("publishedAt") + "\"")
    contentKey = [UInt8](text: "Z\"" + style.key("content"))
    end = [UInt8](text: style.end())
  }

  mutating func append(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    let source = random.pick(sources)
    buffer.append(start)
    buffer.append(source.field)
    buffer.append(authorKey)
    buffer.append(random.isOne(in: 4) ? null : random.pick(authors))
    buffer.append(titleKey)
    text.appendHeadline(to: &buffer, using: &random)
    buffer.append(dash)
    buffer.append(source.name)
    buffer.append(descriptionKey)
    appendDescription(to: &buffer, using: &random)
    buffer.append(urlKey)
    appendAddress(to: &buffer, using: &random)
    buffer.append(imageKey)
    appendImage(to: &buffer, using: &random)
    buffer.append(publishedKey)
    buffer.appendDate(using: &random)
    buffer.append(contentKey)
    appendContent(to: &buffer, using: &random)
    buffer.append(end)
  }

  private func appendDescription(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    guard !random.isOne(in: 12) else { return buffer.append(null) }
    buffer.append(0x22)
    text.appendSentence(to: &buffer, using: &random)
    buffer.append(0x20)
    text.appendSentence(to: &buffer, using: &random)
    buffer.append(0x22)
  }

  private func appendAddress(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    buffer.append(site)
    for _ in 0..<3 {
      buffer.append(random.pick(slugs))
      buffer.append(0x2D)
    }
    buffer.append(hexadecimal: random.next(), digits: 10)
    buffer.append(0x22)
  }

  private func appendImage(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    guard !random.isOne(in: 16) else { return buffer.append(null) }
    buffer.append(images)
    buffer.append(hexadecimal: random.next(), digits: 16)
    buffer.append(imageEnding)
  }

  private func appendContent(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    guard !random.isOne(in: 10) else { return buffer.append(null) }
    buffer.append(0x22)
    for sentence in 0..<4 + random.index(below: 4) {
      if sentence > 0 {
        if random.isOne(in: 3) { buffer.append(paragraphBreak) } else { buffer.append(0x20) }
      }
      text.appendSentence(to: &buffer, using: &random)
    }
    buffer.append(truncation)
    buffer.append(twoDigits: 10 + random.index(below: 90))
    buffer.append(truncationEnd)
  }
}
