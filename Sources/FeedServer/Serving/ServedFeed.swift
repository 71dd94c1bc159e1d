package import FeedPayloads
package import FeedStorage

/// One generation of a feed as it is served, with what its answers have in common.
///
/// A class of constants: each answer lends it, and its parts are not counted one by one.
package final class ServedFeed: Sendable {
  /// What the store knows of it.
  package let description: FeedDescription
  /// The contract that its records follow.
  package let schema: PayloadSchema
  /// Writes its records in the form of that contract.
  package let writer: RecordWriter
  /// Whether a key is looked up by the bytes of its text.
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
