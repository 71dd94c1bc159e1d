/// The shape of a document: the location of its records.
package enum DocumentShape: Sendable, Hashable {
  /// A top-level array of records.
  case array
  /// An array under a key of a top-level object.
  case wrapped(key: String)
  /// One record a line (NDJSON).
  case lines
  /// One object that is itself a record.
  case single
  /// The location that the consumer's plan states. Records are values of any type.
  case planned(DocumentPlan)
}

/// A record that is valid JSON but breaks the consumer's schema.
package struct RecordFault {
  /// Its index on the tape.
  package var record: Int
  /// A byte in the chunk of the faulty value; nil if the whole record is faulty.
  package var tokenByte: Int?
  package var reason: String
  /// The field and its value, if one field is faulty.
  package var mismatch: JSONError.Mismatch?

  package init(
    record: Int, tokenByte: Int? = nil, reason: String, mismatch: JSONError.Mismatch? = nil
  ) {
    self.record = record
    self.tokenByte = tokenByte
    self.reason = reason
    self.mismatch = mismatch
  }
}

/// The consumer's decision about the first record of a document.
package enum SelectionChoice {
  /// The values that lanes record, a function that makes an empty batch for them, and one that
  /// makes the context that a lane keeps between its batches.
  case selected(
    Selection, makeContext: (() -> AnyObject)? = nil, makeBatch: () -> any LaneBatch)
  /// There is no first record, and the document is valid without one.
  case nothing
  /// The record matches no known kind, for this reason.
  case unknown(String)
}

/// The mapped records of one batch. A lane's thread fills it; the reader's thread passes it to the
/// consumer that made it. Used by one thread at a time.
package protocol LaneBatch: AnyObject {
  /// The number of records.
  var recordCount: Int { get }

  /// Removes the records from an index on.
  func removeRecords(from index: Int)

  /// Appends the records of a tape, from the given one on. Stops at the first that it rejects; the
  /// lane calls it again for the records after that one.
  func map(_ tape: borrowing RecordTape, from record: Int) -> RecordFault?

  /// Passes the records to the consumer and empties the batch. Called in document order.
  ///
  /// - Returns: false to end the reading. The consumer keeps the reason.
  func deliver() -> Bool
}

/// Receives the records of a document from a ``RecordReader``, on the reader's thread.
package protocol RecordConsumer: AnyObject {
  /// Keys of a top-level object whose value may be the array of records.
  var recordKeys: [String] { get }

  /// True if rejected records may be skipped, so that lanes continue after them.
  var skipsRecords: Bool { get }

  /// How many bytes of a document ``plan(head:isComplete:)`` needs; 0 for a consumer that makes no
  /// plan.
  var planningBytes: Int { get }

  /// Decides where the records of a document lie. Called at most once for a document, before
  /// everything else. The result does not depend on the chunks in which the document arrives.
  ///
  /// - Parameters:
  ///   - head: the first bytes of the document after a byte order mark and white space, which input
  ///     validation has accepted: ``planningBytes`` of them, or all up to its end or its first fault.
  ///     Empty for an input without a value.
  ///   - isComplete: true if this is the whole document.
  /// - Returns: nil to find the records by ``recordKeys``.
  func plan(head: RawSpan, isComplete: Bool) -> DocumentPlan?

  /// Receives the text of a planned document outside its container of records, in order and in
  /// pieces of limited size. White space outside strings is removed; every other byte is as it came.
  /// The brackets of the container belong to the text, and so does the header of rows.
  ///
  /// - Parameter isAfterRecords: true from the closing bracket of the container on.
  func takeEnvelope(_ text: borrowing RawSpan, isAfterRecords: Bool)

  /// Decides what to select, once the shape of a document and its first record are known.
  ///
  /// - Parameters:
  ///   - sample: the first record, not yet validated; nil if the document has none.
  ///   - depth: the maximum number of its levels.
  func select(_ shape: DocumentShape, sample: RawSpan?, depth: Int) -> SelectionChoice

  /// Receives the error and the text of a rejected record. Throws to end the reading; returns to
  /// continue without the record.
  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError)

  /// The reason why a document that is an object is refused, although it is valid JSON: its service
  /// reports a failure. Nil to accept it.
  ///
  /// - Parameters:
  ///   - object: the document, with an empty array in place of its records.
  ///   - shape: where its records are; `single` if the object itself is not a valid record.
  ///   - recordCount: the number of elements of its array of records.
  func failure(
    reportedBy object: borrowing RawSpan, _ shape: DocumentShape, recordCount: Int
  ) -> String?
}

extension RecordConsumer {
  package var planningBytes: Int { 0 }

  package func plan(head: RawSpan, isComplete: Bool) -> DocumentPlan? { nil }

  package func takeEnvelope(_ text: borrowing RawSpan, isAfterRecords: Bool) {}

  package func failure(
    reportedBy object: borrowing RawSpan, _ shape: DocumentShape, recordCount: Int
  ) -> String? { nil }
}

/// The keys of one record, which determine its kind.
package enum RecordOutline {
  /// The paths of the record's keys and of those one level below them; nil if the text is not a
  /// JSON object, or one of more levels than it may have. Costs one traced parse of the record.
  package static func paths(of record: borrowing RawSpan, depth: Int) -> Set<[String]>? {
    // The other limits apply when the record is validated; its kind does not depend on them.
    var limits = JSONLimits()
    limits.depth = depth
    limits.stringBytes = record.byteCount
    limits.keyBytes = record.byteCount
    limits.numberBytes = record.byteCount
    let parser = TracingParser(limits: limits)
    parser.trace.outline = []
    let isJSON = record.withUnsafeBytes { bytes in
      do throws(TracingParser.Fault) {
        try parser.feed(bytes.assumingMemoryBound(to: UInt8.self), at: 0)
        try parser.finish(at: bytes.count)
        return bytes.first == 0x7B
      } catch {
        return false
      }
    }
    return isJSON ? parser.trace.outline : nil
  }
}
