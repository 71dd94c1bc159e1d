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
    switch generation.format.keyForm {
    case .text, .position:
      return try appendJSON(ofKeyBytes: key, maximumBytes: maximumBytes, to: &output)
    case .composed, .converted:
      let text = key.withUnsafeBytes { String(validating: $0, as: UTF8.self) }
      guard let bytes = text.flatMap({ keyBytes(ofText: $0) }) else { return false }
      return try appendJSON(
        ofKeyBytes: bytes.span.bytes, maximumBytes: maximumBytes, to: &output)
    }
  }

  /// The same for a key that is given by its bytes.
  package func appendJSON(
    ofKeyBytes key: RawSpan, maximumBytes: Int = .max, to output: inout [UInt8]
  ) throws(StoreError) -> Bool {
    let format = generation.format
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
  package var hasTextKeys: Bool { generation.format.keyForm == .text }
}

/// How the records of a generation are written as JSON.
///
/// It is a class of constants: a lookup borrows it, and its parts are not reference-counted one by
/// one.
final class RecordFormat: Sendable {
  /// How a key that is given as text is looked up.
  enum KeyForm {
    /// By the bytes of the text.
    case text
    /// By bytes that the text describes, such as those of a UUID.
    case converted
    /// By the bytes of the parts of a composed key.
    case composed
    /// By the position that it states.
    case position
  }

  let schema: PayloadSchema
  /// How documents are read by the app's contract to which they conform; nil for other records.
  let conversion: ContractConversion?
  let writer: RecordWriter
  let keyForm: KeyForm
  /// The text of documents; nil for records of a contract.
  let text: FieldLocation?

  var isDocument: Bool { text != nil }

  init(_ schema: PayloadSchema) {
    self.schema = schema
    conversion = schema.document == nil ? nil : schema.preset.map { ContractConversion($0) }
    writer = RecordWriter(schema)
    text =
      schema.document == nil ? nil : schema.layout.location(of: DocumentForm.recordField)
    keyForm =
      switch schema.document?.key {
      case .position: .position
      case .member: .text
      case .field(let id): schema.document?.compositions[id] == nil ? .text : .composed
      case nil:
        switch schema.keyField.kind {
        case .text, .url, .textList, .json: .text
        case .uuid, .integer, .date, .number, .boolean: .converted
        }
      }
  }
}
