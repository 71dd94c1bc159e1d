/// The shape of a document: where its records stand.
package enum DocumentShape: Sendable, Hashable {
  /// A top-level array of records.
  case array
  /// An array under a key of a top-level object.
  case wrapped(key: String)
  /// One record a line (NDJSON).
  case lines
  /// One object that is itself a record.
  case single
}

/// A record that is JSON but not what its reader wants.
package struct RecordFault {
  /// Its index on the tape.
  package var record: Int
  /// The entry at fault; nil if it is the record as a whole.
  package var entry: Int?
  package var reason: String

  package init(record: Int, entry: Int? = nil, reason: String) {
    self.record = record
    self.entry = entry
    self.reason = reason
  }
}

/// What a consumer makes of the first record of a document.
package enum SelectionChoice {
  case selected(Selection)
  /// The record is of no kind that it knows; says why.
  case unknown(String)
}

/// Whoever takes the records of a document from a ``RecordReader``.
package protocol RecordConsumer: AnyObject {
  /// Keys of a top-level object under which records may stand.
  var recordKeys: [String] { get }

  /// Says what to select, once a document's shape and its first record are known. The record is
  /// nil if the document has none.
  func select(_ shape: DocumentShape, sample: RawSpan?) -> SelectionChoice

  /// Takes the records of a tape, from the given one on. Stops at the first that it refuses, to
  /// be called again for those behind it.
  func consume(_ tape: borrowing RecordTape, from record: Int) throws(JSONError) -> RecordFault?

  /// Learns of a record that was refused, with its text. Throws to end the reading; returns to
  /// go on without the record.
  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError)
}
