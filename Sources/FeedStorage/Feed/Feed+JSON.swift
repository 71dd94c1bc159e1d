package import FeedRecord
public import FeedSchema

extension Feed {
  /// The schema of its records, as the store has it; see ``FeedDescription/schema``.
  public var schema: PayloadSchema { generation.format.schema }

  /// Appends a record as one line of JSON, in the form of its schema.
  ///
  /// - Throws: `damaged`
  package func appendJSON(
    of record: borrowing RecordView, to output: inout [UInt8]
  ) throws(StoreError) {
    do throws(RecordError) {
      try generation.format.writer.append(record, to: &output)
    } catch {
      throw StoreError(error, path: database.directory)
    }
  }

  /// Appends the first record with a key as one line of JSON.
  ///
  /// - Parameters:
  ///   - key: the key as text; that of a UUID has hyphens
  ///   - maximumBytes: the maximum stored length of the record; a longer one is not appended
  /// - Returns: false if there is no such record, or it is too long
  /// - Throws: `damaged`
  package func appendJSON(
    ofKey key: RawSpan, maximumBytes: Int = .max, to output: inout [UInt8]
  ) throws(StoreError) -> Bool {
    let format = generation.format
    guard !format.hasTextKeys else {
      return try appendJSON(ofKeyBytes: key, maximumBytes, format, to: &output)
    }
    let text = key.withUnsafeBytes { String(validating: $0, as: UTF8.self) }
    guard let bytes = text.flatMap({ format.schema.keyBytes($0) }) else { return false }
    return try appendJSON(ofKeyBytes: bytes.span.bytes, maximumBytes, format, to: &output)
  }

  private func appendJSON(
    ofKeyBytes key: RawSpan, _ maximumBytes: Int, _ format: RecordFormat, to output: inout [UInt8]
  ) throws(StoreError) -> Bool {
    var isAppended = false
    _ = try lookUp(key) { record, _ throws(StoreError) in
      guard record.bytes.byteCount <= maximumBytes else { return false }
      do throws(RecordError) {
        try format.writer.append(record, to: &output)
      } catch {
        throw StoreError(error, path: database.directory)
      }
      isAppended = true
      return false
    }
    return isAppended
  }

  /// Whether keys are looked up by the bytes of their text, whose hash a prefetch then takes.
  package var hasTextKeys: Bool { generation.format.hasTextKeys }
}

/// How the records of a generation are written as JSON.
///
/// It is a class of constants: a lookup borrows it, and its parts are not reference-counted one by
/// one.
final class RecordFormat: Sendable {
  let schema: PayloadSchema
  let writer: RecordWriter
  let hasTextKeys: Bool

  init(_ schema: PayloadSchema) {
    self.schema = schema
    writer = RecordWriter(schema)
    hasTextKeys =
      switch schema.keyField.kind {
      case .text, .url, .textList, .json: true
      case .uuid, .integer, .date, .number, .boolean: false
      }
  }
}
