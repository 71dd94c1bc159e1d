package import FeedRecord
package import FeedSchema

/// Whether an ingest replaces a feed or adds to it.
package enum GenerationMode: Hashable, Sendable {
  case replace
  /// Records that are byte-equal to stored ones are dropped, unless the request keeps them.
  case append
}

/// Whether and how long a change of a feed waits for another one.
package struct FeedWait: Hashable, Sendable {
  /// Nil to wait without a limit.
  package let timeout: Duration?

  package static let none = FeedWait(waits: false, timeout: nil)

  package init(waits: Bool, timeout: Duration?) { self.timeout = waits ? timeout : .zero }

  /// When a wait that begins now ends; nil for no limit.
  var deadline: ContinuousClock.Instant? { timeout.map { .now + $0 } }
}

/// The request for a new generation.
package struct GenerationRequest: Sendable {
  package var name: FeedName
  package var kind: String
  package var layout: RecordLayout
  /// The key field.
  package var keyField: UInt16
  /// The schema that is stored with the records; nil to store none.
  package var schema: PayloadSchema?
  /// Further indexed fields; an append keeps those of the feed.
  package var indexedFields: [UInt16] = []
  /// Fields of documents that have an index until one of them becomes the key.
  package var candidates: [UInt16] = []
  /// Whether a replaced feed of the same kind passes its indexes to the new generation. An index is
  /// kept if the new layout has its field and the limit allows it. Indexes of documents are kept by
  /// their paths, since the ids of their fields differ between generations.
  package var keepsIndexes = false
  package var mode = GenerationMode.replace
  /// Whether an append keeps records that are byte-equal to stored ones.
  package var keepsEqualRecords = false
  package var condition = PublishCondition.always
  /// Whether to wait while another ingest changes the feed.
  package var wait = FeedWait.none

  package init(_ name: FeedName, kind: String, layout: RecordLayout, keyField: UInt16) {
    self.name = name
    self.kind = kind
    self.layout = layout
    self.keyField = keyField
  }

  /// A request for records of a schema.
  package init(_ name: FeedName, _ schema: PayloadSchema) {
    self.init(
      name, kind: schema.name, layout: schema.layout, keyField: schema.keyField.id)
    self.schema = schema
  }

  /// The text of the schema as it is stored; empty without a schema.
  ///
  /// - Throws: `tooLarge`
  func schemaText(indexedBy fields: [UInt16]) throws(StoreError) -> [UInt8] {
    // The schema of documents is known only after all of them have been read.
    guard let schema, schema.document == nil else { return [] }
    let text = schema.indexed(by: fields).jsonText
    guard text.count <= PayloadSchema.maximumTextBytes else {
      throw StoreError(
        .tooLarge,
        "the schema of \(kind) has \(text.count) bytes; a store holds at most"
          + " \(PayloadSchema.maximumTextBytes)")
    }
    return text
  }

  /// The index fields without duplicates and without the key, in the order of their ids.
  ///
  /// - Throws: `misuse` if a field cannot be indexed, or there are too many.
  func orderedIndexedFields() throws(StoreError) -> [UInt16] {
    let fields = Set(indexedFields + candidates).subtracting([keyField]).sorted()
    for id in fields {
      guard canIndex(id) else {
        throw StoreError(
          .misuse,
          "the field \(id) of \(kind) cannot be indexed; texts, URLs, UUIDs, whole numbers and"
            + " lists of texts can")
      }
    }
    try Self.requireLimit(for: Array(Set(indexedFields).subtracting([keyField])))
    return fields
  }

  private static func requireLimit(for fields: [UInt16]) throws(StoreError) {
    guard fields.count <= StoreFormat.maximumFieldIndexes else {
      throw StoreError(
        .misuse,
        "\(fields.count) fields would be indexed in addition to the key; at most"
          + " \(StoreFormat.maximumFieldIndexes) are supported")
    }
  }

  /// The requested index fields and all index fields of the feed that is added to.
  ///
  /// - Throws: `misuse` if there are too many: an append must not remove an index that readers use.
  func indexedFields(
    _ fields: [UInt16], inAdditionTo stored: [UInt16]
  ) throws(StoreError) -> [UInt16] {
    let all = Set(fields).union(stored).sorted()
    try Self.requireLimit(for: all)
    return all
  }

  /// The requested index fields and those of a replaced feed that can be kept.
  func indexedFields(_ fields: [UInt16], keeping replaced: [UInt16]) -> [UInt16] {
    let kept = replaced.filter { $0 != keyField && !fields.contains($0) && canIndex($0) }
    return (fields + kept.prefix(StoreFormat.maximumFieldIndexes - fields.count)).sorted()
  }

  private func canIndex(_ id: UInt16) -> Bool {
    guard let field = layout.fields.first(where: { $0.id == id }) else { return false }
    return KeyField.canIndex(field.type)
  }
}
