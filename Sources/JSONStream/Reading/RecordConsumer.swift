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
  /// A byte in the chunk of the value at fault; nil if it is the record as a whole.
  package var tokenByte: Int?
  package var reason: String
  /// The field and its value, where it is one field's fault.
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

/// What a consumer makes of the first record of a document.
package enum SelectionChoice {
  case selected(Selection)
  /// The record is of no kind that it knows; says why.
  case unknown(String)
}

/// Holds what a consumer makes of the records of one batch, from their mapping on a lane's thread
/// until the reader's thread hands it over. Used by one thread at a time.
package protocol LaneBatch: AnyObject {
  /// How many records it holds.
  var recordCount: Int { get }

  /// Gives up the records from an index on.
  func removeRecords(from index: Int)

  /// Takes the records of a tape, from the given one on, behind those that it holds. Stops at the
  /// first that it refuses, to be called again for those behind it.
  func map(_ tape: borrowing RecordTape, from record: Int) -> RecordFault?
}

/// Whoever takes the records of a document from a ``RecordReader``. Called on its thread alone.
package protocol RecordConsumer: AnyObject {
  /// Keys of a top-level object under which records may stand.
  var recordKeys: [String] { get }

  /// True if it may let records pass that are refused, so that those behind them are wanted.
  var skipsRecords: Bool { get }

  /// Says what to select, once a document's shape and its first record are known.
  ///
  /// - Parameters:
  ///   - sample: the first record, which has not been proved; nil if the document has none.
  ///   - depth: how many levels it may have.
  func select(_ shape: DocumentShape, sample: RawSpan?, depth: Int) -> SelectionChoice

  /// Makes an empty batch for records of what was selected last.
  func makeBatch() -> any LaneBatch

  /// Takes over the records of a batch made here, in document order, and empties it.
  func take(_ batch: any LaneBatch) throws(JSONError)

  /// Learns of a record that was refused, with its text. Throws to end the reading; returns to
  /// go on without the record.
  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError)
}
