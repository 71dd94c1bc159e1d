import FeedRecord
package import FeedSchema

/// How ``Feed/writeText(of:as:_:to:)`` writes records.
package enum RecordTextForm: Sendable {
  /// A document of whole records or of some of their values.
  case document(FeedFrame, QueryFields? = nil)
  /// A line of column names, and a line of values for each record.
  case delimited(DelimitedText)
}

extension Feed {
  /// Writes the records that match a query as text.
  ///
  /// - Parameters:
  ///   - form: the form of the text
  ///   - limits: the limits on reading; its threads are used for sorting only
  ///   - body: receives the text in parts of at least 64 KiB, except the last, and returns whether to
  ///     continue
  /// - Returns: the number of records that were written
  /// - Throws: `limitExceeded`; `cancelled`; `damaged`. Some parts may have been passed before
  package func writeText(
    of query: CompiledQuery, as form: RecordTextForm, _ limits: QueryLimits = .none,
    to body: (RawSpan) -> Bool
  ) throws(StoreError) -> Int {
    var text = TextParts()
    var count = 0
    switch form {
    case .delimited(let lines):
      lines.appendHeader(to: &text.bytes)
      try forEachMatch(of: query, limits) { _, _, json throws(StoreError) in
        lines.append(json, to: &text.bytes)
        count += 1
        return text.passIfFull(to: body)
      }
    case .document(let frame, let fields):
      try frame.forEachPart(of: self, isAfterRecords: false) { part in
        text.append(part)
        _ = text.passIfFull(to: body)
      }
      try forEachMatch(of: query, limits) { record, _, json throws(StoreError) in
        if count > 0 || frame.beginsWithSeparator {
          text.bytes += frame.separator
        } else if frame.breaksAfterOpening {
          text.bytes.append(0x0A)
        }
        count += 1
        try frame.appendStart(of: record, to: &text.bytes)
        if let fields {
          fields.appendObject(of: json, to: &text.bytes)
        } else {
          text.append(json)
        }
        return text.passIfFull(to: body)
      }
      if count > 0 { text.bytes += frame.end }
      try frame.forEachPart(of: self, isAfterRecords: true) { part in
        text.append(part)
        _ = text.passIfFull(to: body)
      }
    }
    text.pass(to: body)
    return count
  }
}

/// Buffers text and passes it on in parts.
private struct TextParts {
  private static let capacity = 64 << 10

  var bytes: [UInt8] = []
  /// False once the receiver has stopped.
  private var isWanted = true

  init() { bytes.reserveCapacity(Self.capacity + (4 << 10)) }

  mutating func append(_ text: RawSpan) {
    text.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  /// Passes the text on once there is enough of it. Returns whether to continue.
  @inline(__always)
  mutating func passIfFull(to body: (RawSpan) -> Bool) -> Bool {
    if bytes.count >= Self.capacity { pass(to: body) }
    return isWanted
  }

  @inline(never)
  mutating func pass(to body: (RawSpan) -> Bool) {
    if isWanted, !bytes.isEmpty { isWanted = body(bytes.span.bytes) }
    // One large record must not enlarge the buffer permanently.
    bytes.removeAll(keepingCapacity: bytes.capacity <= 4 * Self.capacity)
  }
}
