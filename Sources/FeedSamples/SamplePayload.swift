/// A realistic dump of any size in one of the payload contracts. The same seed produces the same
/// bytes.
///
/// Names, texts and numbers are invented or drawn from tables; every sample is valid RFC 8259. It
/// needs the memory of one chunk, whatever the number of records.
package struct SamplePayload: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case universities
    case feed
    case comments
    case characters
    case news

    /// The key of the records' array, or nil if the array itself is the document.
    var recordsKey: String? {
      switch self {
      case .universities: nil
      case .feed, .comments: "items"
      case .characters: "results"
      case .news: "articles"
      }
    }
  }

  package enum Format: String, CaseIterable, Sendable {
    /// The payload in one line.
    case json
    /// One key per line, indented by two spaces, with short lists on one line.
    case pretty
    /// One record per line, without the payload's other keys.
    case ndjson
  }

  private let kind: Kind
  private let records: Int
  private let seed: UInt64
  private let format: Format

  /// - Parameter records: The number of records; a negative one counts as none.
  package init(kind: Kind, records: Int, seed: UInt64 = 1, format: Format = .json) {
    self.kind = kind
    self.records = max(records, 0)
    self.seed = seed
    self.format = format
  }

  /// Writes the whole sample, in chunks of about 64 KiB that are valid only during the call.
  ///
  /// Stops at an error of `sink` and rethrows it.
  package func write<Failure: Error>(
    to sink: (RawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    switch kind {
    case .universities: try write(UniversitySamples(style: style), to: sink)
    case .feed: try write(ImageFeedSamples(style: style), to: sink)
    case .comments: try write(CommentSamples(style: style), to: sink)
    case .characters: try write(CharacterSamples(style: style), to: sink)
    case .news: try write(NewsSamples(style: style), to: sink)
    }
  }

  private var style: SampleStyle {
    SampleStyle(isPretty: format == .pretty, recordDepth: kind.recordsKey == nil ? 2 : 3)
  }

  private var envelope: SampleEnvelope {
    format == .ndjson
      ? SampleEnvelope(linesOf: records)
      : SampleEnvelope(kind: kind, records: records, style: style)
  }

  private func write<Failure: Error>(
    _ source: consuming some SampleRecords, to sink: (RawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    let envelope = envelope
    var random = SplitMix64(seed: seed)
    var buffer = SampleBuffer()
    buffer.append(envelope.opening)
    for number in 0..<records {
      if number > 0 { buffer.append(envelope.separator) }
      source.append(to: &buffer, using: &random)
      if buffer.isFull {
        try sink(buffer.bytes.span.bytes)
        buffer.removeAll()
      }
    }
    buffer.append(envelope.closing)
    if !buffer.bytes.isEmpty { try sink(buffer.bytes.span.bytes) }
  }
}

/// One kind of record, drawn from a random generator.
protocol SampleRecords {
  init(style: SampleStyle)

  /// Appends one whole record, from its opening to its closing bracket.
  mutating func append(to buffer: inout SampleBuffer, using random: inout SplitMix64)
}

/// The punctuation around keys and values in one format. It is made before the first record, so
/// that a record only copies bytes.
struct SampleStyle {
  let isPretty: Bool
  /// The indentation depth of the records' own keys.
  let recordDepth: Int

  /// The text before the value of a key: comma, line break, indentation, key and colon.
  func key(_ name: String, depth: Int? = nil, isFirst: Bool = false) -> String {
    let comma = isFirst ? "" : ","
    guard isPretty else { return "\(comma)\"\(name)\":" }
    return "\(comma)\n\(indentation(depth ?? recordDepth))\"\(name)\": "
  }

  /// The end of an object whose keys are at `depth`.
  func end(depth: Int? = nil) -> String {
    isPretty ? "\n\(indentation((depth ?? recordDepth) - 1))}" : "}"
  }

  /// The comma between the elements of a short list.
  var listComma: String { isPretty ? ", " : "," }

  func indentation(_ depth: Int) -> String {
    isPretty ? String(repeating: "  ", count: depth) : ""
  }
}

extension [UInt8] {
  init(text: String) {
    self.init(text.utf8)
  }
}

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
