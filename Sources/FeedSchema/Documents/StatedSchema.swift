import JSONStream

/// A schema file: the contract of records, or statements about documents.
package enum SchemaFile: Sendable {
  /// Records that do not fit are refused.
  case contract(PayloadSchema)
  /// Values that do not fit are counted.
  case documents(StatedSchema)

  /// Reads the text of a file.
  ///
  /// It is a contract if its annotation says `strict: true`. Without `strict` it is a contract if the
  /// annotation has the form `flat`, or the `identifier` that only contracts have.
  ///
  /// - Parameter isStrict: true to read it as a contract, whatever its annotation states.
  /// - Throws: ``SchemaError``, with the position, for a text that is not a schema, or has a
  ///   keyword that FeedCore does not check.
  package init(_ text: RawSpan, isStrict: Bool = false) throws(SchemaError) {
    let tree = try JSONTree(schemaText: text)
    let annotation = tree.value(at: [PayloadSchema.annotation])
    let isMarked =
      annotation?.value(at: ["strict"])?.boolean
      ?? (annotation?.value(at: ["form"])?.string == "flat"
        || annotation?.value(at: ["identifier"]) != nil)
    if isStrict || isMarked {
      var reader = SchemaReader(skipsStatistics: false)
      self = .contract(try reader.schema(tree))
    } else {
      var reader = StatedSchemaReader()
      self = .documents(try reader.schema(tree))
    }
  }
}

/// The statements of a schema file about documents. An ingest follows the location of the records,
/// the key, the indexes and the ids of fields. It counts the values that do not fit.
package struct StatedSchema: Sendable {
  /// Where the records are, as a JSON Pointer; nil to find them.
  package internal(set) var records: String?
  /// How the records follow one another; nil to detect it.
  var framing: DocumentPlan.Framing?
  /// The paths whose values are the key, `#`, or `member`; empty to find one.
  var key: [String] = []
  /// The paths of further fields to look up by.
  var indexes: [String] = []
  /// The spans with their ids. The span of a composed key has no path.
  var fields: [PayloadSchema.Field] = []
  /// The schema of a record.
  var record = StatedValue()

  /// Whether it states how to find the records.
  package var hasPlace: Bool { records != nil || framing != nil }

  /// Checks that a feed has no other ids for these paths, and no other paths for these ids.
  ///
  /// - Parameter name: the name of the feed.
  func requireIDs(of stored: PayloadSchema, name: String) throws(SchemaError) {
    for field in fields where !field.path.isEmpty {
      if let known = stored.documentField(field.path), known.id != field.id {
        throw SchemaError(
          "\(field.pathText) has id \(field.id) in the schema, but id \(known.id) in the feed"
            + " \(name)")
      }
      let other = stored.fields.first { $0.id == field.id && $0.path != field.path }
      if let other {
        let path = other.path.isEmpty ? "the key" : other.pathText
        throw SchemaError(
          "id \(field.id) is \(field.pathText) in the schema, but \(path) in the feed \(name)")
      }
    }
  }
}

/// The statements about one value.
struct StatedValue: Sendable {
  /// The statements about the members that `properties` does not name.
  enum Others: Sendable {
    case any
    case none
    indirect case value(StatedValue)
  }

  /// The types that it may have; nil for any.
  var types: Set<ValueType>?
  /// The texts that it may be; nil for any.
  var choices: Set<String>?
  /// The format of texts; nil for any.
  var format: (name: String, TextFormats)?
  var minimum: Double?
  var maximum: Double?
  /// Lengths in bytes of the text as written in a document.
  var minimumLength: Int?
  var maximumLength: Int?
  var required: [String] = []
  var members: [(key: String, value: StatedValue)] = []
  var others = Others.any
  /// The schema of elements; empty for any.
  var elements: [StatedValue] = []
}
