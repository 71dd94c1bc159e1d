import FeedRecord
package import JSONStream

/// The parts of a document schema other than its fields: the location of the records, and their
/// key.
///
/// A record of a document is its JSON text. The fields of the schema are spans into it: the parts of
/// the key, the indexed fields, and while records are read also the fields that may become the key.
package struct DocumentForm: Sendable, Hashable {
  /// What records are looked up by.
  package enum Key: Sendable, Hashable {
    /// Their position in the feed.
    case position
    /// The key of the member whose value the record is.
    case member
    /// The values of these fields.
    case field(UInt16)
  }

  package var plan: DocumentPlan
  package var key: Key
  /// The paths of the parts of fields that are composed of several values, by the fields' ids.
  package var compositions: [UInt16: [[String]]] = [:]
  /// Whether all records conform to the app's contract that the kind names.
  package var conforms = false

  /// The words for a key that is a position or the key of a member.
  package static let positionKey = "#"
  package static let memberKey = "member"
  /// The ids of the text fields that follow the spans in every layout of documents.
  package static let decodedField = SpanFormat.decoded
  package static let memberField = SpanFormat.member
  package static let recordField = SpanFormat.record
  /// The maximum id of a span.
  package static let maximumFieldID = SpanFormat.lastSpan
  /// The maximum number of spans: a layout has 256 fields, three of them are the texts.
  package static let maximumFields = 252
  /// The maximum number of parts of a key.
  package static let maximumKeyParts = 4
  /// Joins the parts of a composed key.
  package static let partSeparator: UInt8 = 0x1F
  /// The number of the kind in blocks.
  package static let identifier = SpanFormat.schemaID

  package init(_ plan: DocumentPlan, key: Key) {
    self.plan = plan
    self.key = key
  }
}

extension PayloadSchema {
  /// The kind of documents that conform to no contract.
  package static let documentKind = "json"

  /// A schema of documents.
  ///
  /// - Parameter fields: of the kind `json`, in the order of their ids.
  /// - Throws: ``SchemaError`` if there are too many fields or an id occurs twice.
  package init(
    documents form: DocumentForm, kind: String = Self.documentKind, fields: [Field]
  ) throws(SchemaError) {
    guard fields.count <= DocumentForm.maximumFields else {
      throw SchemaError("at most \(DocumentForm.maximumFields) fields are possible")
    }
    let isKeyed = form.plan.framing == .keyed
    var stored = fields.map(\.recordField)
    stored.append(RecordField(id: DocumentForm.decodedField, type: .text))
    if isKeyed { stored.append(RecordField(id: DocumentForm.memberField, type: .text)) }
    stored.append(RecordField(id: DocumentForm.recordField, type: .json))
    let layout: RecordLayout
    do {
      layout = try RecordLayout(schemaID: DocumentForm.identifier, fields: stored)
    } catch {
      throw SchemaError("the fields of \(kind) make no layout: \(error.message)")
    }
    let keyField = Self.keyField(of: form, among: fields)
    guard let keyField else { throw SchemaError("the key of \(kind) is not among its fields") }
    self.init(
      name: kind, identifier: DocumentForm.identifier, recordKey: nil, fields: fields,
      keyField: keyField, layout: layout, document: form)
  }

  /// The same schema with another key.
  package func keyed(by key: DocumentForm.Key) -> PayloadSchema {
    guard var form = document else { return self }
    form.key = key
    return PayloadSchema(
      name: name, identifier: identifier, recordKey: recordKey, fields: fields,
      keyField: Self.keyField(of: form, among: fields) ?? keyField, layout: layout,
      document: form)
  }

  /// The same schema, for documents that all conform to an app's contract. With nil, it is the
  /// schema of documents that do not all conform to one.
  package func conforming(to contract: PayloadSchema?) -> PayloadSchema {
    guard var form = document, form.conforms || contract != nil else { return self }
    form.conforms = contract != nil
    return PayloadSchema(
      name: contract?.name ?? Self.documentKind, identifier: identifier, recordKey: recordKey,
      fields: fields, keyField: keyField, layout: layout, document: form)
  }

  private static func keyField(of form: DocumentForm, among fields: [Field]) -> Field? {
    switch form.key {
    case .position:
      Field(
        id: DocumentForm.recordField, path: [], kind: .json, isRequired: true, isIndexed: false,
        isImage: false)
    case .member:
      form.plan.framing == .keyed
        ? Field(
          id: DocumentForm.memberField, path: [], kind: .text, isRequired: true,
          isIndexed: false, isImage: false) : nil
    case .field(let id): fields.first { $0.id == id }
    }
  }

  /// The key for lookups: the paths of its parts, `#` for the position, or `member` for the key of
  /// a member.
  package var keyTexts: [String] {
    switch document?.key {
    case .position: [DocumentForm.positionKey]
    case .member: [DocumentForm.memberKey]
    case .field(let id):
      document?.compositions[id]?.map(Self.pathText) ?? [keyField.pathText]
    case nil: [keyField.pathText]
    }
  }

  /// The field of a document with this path; nil if no span has it.
  package func documentField(_ path: [String]) -> Field? { fields.first { $0.path == path } }
}
