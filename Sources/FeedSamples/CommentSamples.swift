/// Comments on an image: an identifier, a message, a date with a numeric zone, an author.
struct CommentSamples: SampleRecords {
  private let text = SampleText()
  private let remarks: [[UInt8]]
  private let names: [[UInt8]]
  private let start: [UInt8]
  private let messageKey: [UInt8]
  private let createdKey: [UInt8]
  private let authorKey: [UInt8]
  private let end: [UInt8]

  init(style: SampleStyle) {
    remarks = SampleWords.remarks.map { [UInt8](text: $0) }
    names = SampleWords.userNames.map { [UInt8](text: $0) }
    let inner = style.recordDepth + 1
    start = [UInt8](text: "{" + style.key("id", isFirst: true) + "\"")
    messageKey = [UInt8](text: "\"" + style.key("message") + "\"")
    createdKey = [UInt8](text: "\"" + style.key("created_at") + "\"")
    authorKey = [UInt8](
      text: "+0000\"" + style.key("author") + "{"
        + style.key("username", depth: inner, isFirst: true) + "\"")
    end = [UInt8](text: "\"" + style.end(depth: inner) + style.end())
  }

  mutating func append(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    buffer.append(start)
    buffer.appendUUID(using: &random)
    buffer.append(messageKey)
    buffer.append(random.pick(remarks))
    for _ in 0..<random.index(below: 3) {
      buffer.append(0x20)
      text.appendSentence(to: &buffer, using: &random)
    }
    buffer.append(createdKey)
    buffer.appendDate(using: &random)
    buffer.append(authorKey)
    buffer.append(random.pick(names))
    buffer.append(twoDigits: random.index(below: 100))
    buffer.append(end)
  }
}
