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
    /// The catalog, for a feed that was stored before stores held schemas.
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
  /// The columns of documents; empty if the stored schema has no statistics.
  let columns: DocumentColumns
  /// The facets by which a list of documents can be filtered.
  let facets: [DocumentFacet]
  /// The fields of documents that are arrays in some records, or whose statistics are not known.
  let arrayFields: Set<UInt16>
  /// The keys of documents that are all objects; nil for others, and if there are too many to list.
  let recordKeys: [String]?

  /// The schema of a row.
  ///
  /// - Parameter text: the stored text; empty for a row without one
  /// - Throws: `damaged` if the text is not a readable schema of the row's records; `invalidKind`
  ///   if the records have no key
  init(_ text: [UInt8], of row: GenerationRow, _ catalog: PayloadCatalog) throws(StoreError) {
    if !text.isEmpty {
      let statistics: DocumentStatistics?
      (schema, statistics) = try Self.parse(text, of: row)
      columns = statistics.map { [schema] in DocumentColumns($0, of: schema) } ?? .none
      facets = statistics.map { [schema] in DocumentFacet.facets($0, of: schema) } ?? []
      arrayFields = Self.arrayFields(of: schema, statistics)
      recordKeys = statistics.flatMap(Self.recordKeys)
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
    (columns, facets, arrayFields, recordKeys) = (.none, [], [], nil)
    self.text = schema.jsonText
    presetName = schema.preset?.name
  }

  private static func arrayFields(
    of schema: PayloadSchema, _ statistics: DocumentStatistics?
  ) -> Set<UInt16> {
    guard let root = statistics?.root else { return [] }
    return Set(
      schema.fields.lazy.filter { field in
        root.branch(at: field.path).map { $0.node.tally(.array).count > 0 } ?? true
      }.map(\.id))
  }

  private static func recordKeys(_ statistics: DocumentStatistics) -> [String]? {
    let root = statistics.root
    let isListed = !root.isMap && statistics.listsAllPaths
    // The types of records are counted only for records that are not objects.
    guard isListed, root.node.valueCount == root.node.tally(.object).count else { return nil }
    return root.members.map(\.key)
  }

  private static func parse(
    _ text: [UInt8], of row: GenerationRow
  ) throws(StoreError) -> (PayloadSchema, DocumentStatistics?) {
    let schema: PayloadSchema
    var statistics: DocumentStatistics?
    do throws(SchemaError) {
      if row.details.form == .document {
        var reader = DocumentSchemaReader()
        schema = try reader.schema(storedText: text.span.bytes)
        statistics = reader.statistics
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
    return (schema, statistics)
  }
}

extension StoredSchema: Hashable {
  package static func == (left: StoredSchema, right: StoredSchema) -> Bool {
    left === right || left.source == right.source && left.text == right.text
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
