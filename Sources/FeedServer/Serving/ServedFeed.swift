package import FeedPayloads
package import FeedStorage

/// One generation of a feed as it is served, with what its responses have in common.
///
/// It is a class of constants: each response borrows it, and its parts are not reference-counted
/// one by one.
package final class ServedFeed: Sendable {
  /// Its description in the store.
  package let description: FeedDescription
  /// The contract of its records.
  package let schema: PayloadSchema
  /// Writes its records in the form of that contract.
  package let writer: RecordWriter
  /// Whether keys are looked up by the bytes of their text.
  package let hasTextKeys: Bool

  init(_ description: FeedDescription, _ schema: PayloadSchema) {
    self.description = description
    self.schema = schema
    writer = RecordWriter(schema)
    hasTextKeys =
      switch schema.keyField.kind {
      case .text, .url, .textList: true
      case .uuid, .integer, .date, .number, .boolean: false
      }
  }
}
