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
    case .feed: try write(FeedSamples(style: style), to: sink)
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
