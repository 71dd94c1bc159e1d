import FeedRecord
package import FeedSchema

/// The schema of a generation's records and where it comes from.
///
/// It is parsed once for a generation. It is a class so that descriptions share it.
package final class StoredSchema: Sendable {
  /// Where a schema comes from.
  package enum Source: Sendable {
    /// The store.
    case stored
    /// The catalog, for a feed that was stored before schemas were.
    case catalog
    /// The layout alone: fields are called by their ids.
    case layout
  }

  package let schema: PayloadSchema
  package let source: Source
  /// The schema as JSON text.
  package let text: [UInt8]
  /// The name of the app's contract by which the records can be read, if there is one.
  let presetName: String?
  /// The columns of documents, as far as their schema tells them.
  let columns: DocumentColumns

  /// The schema of a row.
  ///
  /// - Parameter text: the stored text; empty for a row without one
  /// - Throws: `damaged` for a text that is no schema of the row's records; `incompatible` if only a
  ///   newer version can read it; `invalidKind` if the records have no key
  init(_ text: [UInt8], of row: GenerationRow, _ catalog: PayloadCatalog) throws(StoreError) {
    if !text.isEmpty {
      (schema, columns) = try Self.parse(text, of: row)
      source = .stored
      self.text = text
      presetName = schema.preset?.name
      return
    }
    if let known = catalog.schema(named: row.kind)?.reading(row.layout) {
      schema = known.indexed(by: row.indexedFields)
      source = .catalog
    } else if let unnamed = PayloadSchema(
      withoutNames: row.layout, kind: row.kind, key: row.keyField)
    {
      schema = unnamed
      source = .layout
    } else {
      throw StoreError(
        .invalidKind, "the records of the feed \(row.name) have no key field; ingest it again")
    }
    columns = .none
    self.text = schema.jsonText
    presetName = schema.preset?.name
  }

  private static func parse(
    _ text: [UInt8], of row: GenerationRow
  ) throws(StoreError) -> (PayloadSchema, DocumentColumns) {
    let schema: PayloadSchema
    var columns = DocumentColumns.none
    do throws(SchemaError) {
      if row.details.form == .document {
        var reader = DocumentSchemaReader()
        schema = try reader.schema(storedText: text.span.bytes)
        columns = DocumentColumns(reader.statistics, of: schema)
      } else {
        schema = try PayloadSchema(jsonText: text.span.bytes, isStored: true)
      }
    } catch {
      throw StoreError(
        .damaged, "the stored schema of the feed \(row.name) cannot be read: \(error.message)",
        cause: error)
    }
    guard schema.name == row.kind, schema.layout == row.layout,
      (schema.document != nil) == (row.details.form == .document),
      schema.keyField.id == row.keyField
    else {
      throw StoreError(
        .damaged, "the stored schema of the feed \(row.name) is not that of its records")
    }
    return (schema, columns)
  }
}

extension StoredSchema: Hashable {
  package static func == (left: StoredSchema, right: StoredSchema) -> Bool {
    left === right || left.source == right.source && left.text == right.text
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
