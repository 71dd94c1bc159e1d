import FeedRecord
import FeedSchema
import JSONStream

/// The text around and between the records of a feed that is written as a document.
package struct FeedFrame: Sendable {
  /// The form of the document.
  package enum Form: Sendable {
    /// That of the document from which the feed was read.
    case source
    /// One JSON text.
    case json
    /// One JSON array, whatever the document was.
    case array
    /// One record per line.
    case lines
  }

  /// The text before the first record, after any stored parts of the feed's envelope.
  private var opening: [UInt8] = []
  /// The text between two records.
  private(set) var separator: [UInt8] = [0x0A]
  /// The text after the last record, if there is one.
  private(set) var end: [UInt8] = [0x0A]
  /// The text after `end` and after any stored parts of the feed's envelope.
  private var closing: [UInt8] = []
  /// If the feed stores the text around the records in parts, the numbers of these parts.
  private var parts: (before: Range<UInt32>, after: Range<UInt32>)?
  /// Whether a separator precedes the first record too.
  private(set) var beginsWithSeparator = false
  /// The field with the keys of members; nil if records are no members.
  private var memberKey: FieldLocation?

  /// The feed's own envelope if it has one, else the shortest text that makes a document.
  package init(_ feed: FeedDescription, _ form: Form) {
    let schema = feed.schema
    let framing = schema?.document?.plan.framing ?? .array
    switch (form, framing) {
    case (.lines, _), (.source, .lines), (.source, .concatenated), (.source, .single): return
    case (.source, .sequence):
      opening = [0x1E]
      separator = [0x0A, 0x1E]
      return
    case (.array, _), (.json, .lines), (.json, .concatenated), (.json, .sequence), (.json, .single):
      setContainer([0x5B], [0x5D])
    case (_, .array), (_, .rows), (_, .keyed):
      if feed.envelopeChunks > 0 {
        let (insertion, count) = (UInt32(feed.envelopeInsertion), UInt32(feed.envelopeChunks))
        parts = (0..<insertion, insertion..<max(insertion, count))
        setContainer([], [])
      } else if !feed.envelope.isEmpty, feed.envelopeInsertion <= feed.envelope.count {
        setContainer(
          Array(feed.envelope[..<feed.envelopeInsertion]),
          Array(feed.envelope[feed.envelopeInsertion...]))
      } else {
        let path = schema?.document?.plan.path ?? schema?.recordKey.map { [$0] } ?? []
        var start: [UInt8] = []
        for key in path {
          start.append(0x7B)
          JSONText.appendString(key, to: &start)
          start.append(0x3A)
        }
        let isKeyed = framing == .keyed
        setContainer(
          start + [isKeyed ? 0x7B : 0x5B],
          [isKeyed ? 0x7D : 0x5D] + path.map { _ in 0x7D })
      }
      if framing == .keyed {
        memberKey = feed.layout.location(of: DocumentForm.memberField)
      }
      beginsWithSeparator = framing == .rows && (parts != nil || !feed.envelope.isEmpty)
    }
  }

  private mutating func setContainer(_ opening: [UInt8], _ closing: [UInt8]) {
    self.opening = opening
    self.closing = closing + [0x0A]
    separator = [0x2C, 0x0A]
  }

  /// Passes the text before the first record, or the text after the last one.
  package func forEachPart(
    of feed: Feed, isAfterRecords: Bool, _ body: (RawSpan) throws(StoreError) -> Void
  ) throws(StoreError) {
    if let parts {
      try feed.forEachEnvelopeChunk(isAfterRecords ? parts.after : parts.before, body)
    }
    let text = isAfterRecords ? closing : opening
    if !text.isEmpty { try body(text.span.bytes) }
  }

  /// Appends the text directly before a record: the key of its member, if it has one.
  func appendStart(
    of record: borrowing RecordView, to output: inout [UInt8]
  ) throws(StoreError) {
    guard let memberKey else { return }
    do throws(RecordError) {
      output.append(0x22)
      if let key = try record.rawText(memberKey) {
        key.withUnsafeBytes { output.append(contentsOf: $0) }
      }
      output += [0x22, 0x3A]
    } catch {
      throw StoreError(error)
    }
  }

  /// Whether a line feed separates the opening text from the first record.
  var breaksAfterOpening: Bool { !closing.isEmpty && !beginsWithSeparator }
}

extension Feed {
  /// Passes the stored parts of the text around the records, each in its own snapshot.
  fileprivate func forEachEnvelopeChunk(
    _ range: Range<UInt32>, _ body: (RawSpan) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard let segment = generation.row.segments.first?.identifier else { return }
    for number in range {
      try database.tables.readers.read { transaction throws(StoreError) in
        try database.tables.forEachEnvelopeChunk(
          number..<number + 1, of: segment, transaction, body)
      }
    }
  }
}
