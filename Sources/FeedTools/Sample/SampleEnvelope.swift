/// The text around and between the records of a sample.
struct SampleEnvelope {
  let opening: [UInt8]
  let separator: [UInt8]
  let closing: [UInt8]

  init(kind: SamplePayload.Kind, records: Int, style: SampleStyle) {
    let lineBreak = style.isPretty ? "\n" : ""
    let arrayStart: String
    let arrayEnd: String
    if let recordsKey = kind.recordsKey {
      let siblings = Self.siblings(of: kind, records: records, style: style)
      let key = style.key(recordsKey, depth: 1, isFirst: siblings.isEmpty)
      arrayStart = "{\(siblings)\(key)["
      arrayEnd = "]\(lineBreak)}\n"
    } else {
      arrayStart = "["
      arrayEnd = "]\n"
    }
    let recordStart = lineBreak + style.indentation(style.recordDepth - 1)
    let arrayIndentation = lineBreak + style.indentation(style.recordDepth - 2)
    opening = [UInt8](text: arrayStart + (records == 0 ? "" : recordStart))
    separator = [UInt8](text: "," + recordStart)
    closing = [UInt8](text: (records == 0 ? "" : arrayIndentation) + arrayEnd)
  }

  /// NDJSON: one record per line, and nothing without records.
  init(linesOf records: Int) {
    opening = []
    separator = [0x0A]
    closing = records == 0 ? [] : [0x0A]
  }

  private static func siblings(
    of kind: SamplePayload.Kind, records: Int, style: SampleStyle
  ) -> String {
    switch kind {
    case .universities, .feed, .comments:
      return ""
    case .news:
      return style.key("status", depth: 1, isFirst: true) + "\"ok\""
        + style.key("totalResults", depth: 1) + String(records)
    case .characters:
      let pages = records / 20 + (records % 20 == 0 ? 0 : 1)
      let next = pages > 1 ? "\"https://example.com/api/character?page=2\"" : "null"
      return style.key("info", depth: 1, isFirst: true) + "{"
        + style.key("count", depth: 2, isFirst: true) + String(records)
        + style.key("pages", depth: 2) + String(pages)
        + style.key("next", depth: 2) + next
        + style.key("prev", depth: 2) + "null"
        + style.end(depth: 2)
    }
  }
}
