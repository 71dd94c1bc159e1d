public import FeedRecord

/// A payload contract as a value: the fields of a record, and the location of records in a
/// document.
///
/// The five contracts of the apps are such values. Another payload needs only a schema, and a
/// `PayloadModel` if its records are read as Swift values.
public struct PayloadSchema: Sendable, Hashable {
  /// The type of a field's value.
  public enum Kind: Sendable, Hashable {
    case text
    /// An absolute or relative URL (RFC 3986), stored as its text. A required field accepts the
    /// texts that `URL(string:)` accepts, as the apps' decoders do. An optional field accepts any
    /// text, and the number of those that cannot be requested is reported. With a base URL,
    /// relative URLs can be requested too.
    case url
    /// A hyphenated UUID (RFC 9562).
    case uuid
    /// A date and time with a zone (RFC 3339, and the looser forms of the apps' decoders). A
    /// lenient reader accepts other forms too: ``PayloadParser/Dates/lenient``.
    case date
    /// A 64-bit integer.
    case integer
    /// A finite number.
    case number
    case boolean
    /// An array of strings.
    case textList
    /// Any JSON value of a document. The record keeps its text; strings, numbers and booleans can
    /// be looked up by their texts.
    case json
  }

  /// One field of a record.
  public struct Field: Sendable, Hashable {
    /// The number of the field. It is never reused, in any later version of the contract.
    public let id: UInt16
    /// The object keys that lead from the record to the value.
    public let path: [String]
    /// The type of the value.
    public let kind: Kind
    /// Whether a record in which the field is missing or null is rejected.
    public let isRequired: Bool
    /// Whether stores index their records by it, which allows lookups.
    public let isIndexed: Bool
    /// Whether the URL is that of an image. A sweep of the image store keeps such images.
    public let isImage: Bool

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - id: a unique number.
    ///   - path: the object keys that lead from the record to the value; at least one.
    ///   - kind: the type of its value.
    ///   - isRequired: false if the field may be missing or null.
    ///   - isIndexed: true if stores index their records by it. Texts, URLs, UUIDs, integers and
    ///     the elements of lists can be indexed; an index costs 8 bytes per record.
    ///   - isImage: true for the URL of an image.
    public init(
      id: UInt16, _ path: String..., kind: Kind, isRequired: Bool = true, isIndexed: Bool = false,
      isImage: Bool = false
    ) {
      self.init(
        id: id, path: path, kind: kind, isRequired: isRequired, isIndexed: isIndexed,
        isImage: isImage)
    }

    package init(
      id: UInt16, path: [String], kind: Kind, isRequired: Bool, isIndexed: Bool, isImage: Bool
    ) {
      self.id = id
      self.path = path
      self.kind = kind
      self.isRequired = isRequired
      self.isIndexed = isIndexed
      self.isImage = isImage
    }

    /// The keys of the path, joined by dots.
    public var name: String { path.joined(separator: ".") }
  }

  /// The name of the payload's kind, which is also the default name of its feed.
  public let name: String
  /// The number of the kind, stored in every block.
  public let identifier: UInt32
  /// The key of the array of records in a top-level object; nil if the document is that array.
  public let recordKey: String?
  /// The fields, in the order in which they are written as JSON.
  public let fields: [Field]
  /// The field for lookups by key: required, and a text, URL or UUID. Keys need not be unique.
  public let keyField: Field
  /// The layout of records of this schema.
  public let layout: RecordLayout
  /// How the document reports that its service succeeded; nil if its contract does not define that.
  package private(set) var success: Success?
  /// The location of the records in the documents of a feed, and their lookup key; nil for a
  /// contract, whose records are flat.
  package internal(set) var document: DocumentForm?

  /// A member next to the array of records, and the value that it has if the service succeeded.
  package struct Success: Sendable, Hashable {
    package var key: String
    package var value: String
  }

  /// - Parameters:
  ///   - name: the kind; 1–64 of `A–Z a–z 0–9 . _ -`, not starting with a dot.
  ///   - identifier: the number of the kind; numbers below 1 000 are reserved for FeedCore.
  ///   - recordKey: the key of the array of records in a top-level object, if there is one.
  ///   - key: the id of the key field.
  ///   - fields: at most 256. Fields of one object must be adjacent.
  /// - Throws: ``SchemaError`` if the parts are inconsistent.
  public init(
    name: String, identifier: UInt32, recordKey: String? = nil, key: UInt16, fields: [Field]
  ) throws(SchemaError) {
    guard let keyField = fields.first(where: { $0.id == key }) else {
      throw SchemaError("the key field \(key) is not among the fields of \(name)")
    }
    guard keyField.isRequired, [.text, .url, .uuid].contains(keyField.kind) else {
      throw SchemaError("the key field of \(name) must be required and text, URL or UUID")
    }
    guard fields.allSatisfy({ !$0.path.isEmpty }), Set(fields.map(\.path)).count == fields.count
    else { throw SchemaError("the fields of \(name) need paths of their own") }
    guard fields.allSatisfy({ !$0.isImage || $0.kind == .url }) else {
      throw SchemaError("a field of \(name) that is an image must be a URL")
    }
    guard Self.areObjectsUnbroken(fields) else {
      throw SchemaError("the fields of \(name) inside one object must be neighbours")
    }
    self.name = name
    self.identifier = identifier
    self.recordKey = recordKey
    self.fields = fields
    self.keyField = keyField
    do {
      layout = try RecordLayout(schemaID: identifier, fields: fields.map(\.recordField))
    } catch {
      throw SchemaError("the fields of \(name) make no layout: \(error.message)")
    }
  }

  /// Without a check of the parts.
  init(
    name: String, identifier: UInt32, recordKey: String?, fields: [Field], keyField: Field,
    layout: RecordLayout, document: DocumentForm? = nil
  ) {
    self.document = document
    self.name = name
    self.identifier = identifier
    self.recordKey = recordKey
    self.fields = fields
    self.keyField = keyField
    self.layout = layout
  }

  // Whether the fields of each object are adjacent, and no field is itself such an object.
  private static func areObjectsUnbroken(_ fields: [Field]) -> Bool {
    let objects = Set(
      fields.flatMap { field in (1..<field.path.count).map { field.path.prefix($0) } })
    return objects.allSatisfy { object in
      let members = fields.indices.filter { fields[$0].path.starts(with: object) }
      guard let first = members.first, let last = members.last else { return true }
      return last - first + 1 == members.count
        && !members.contains { fields[$0].path.count == object.count }
    }
  }

  /// The same schema, whose documents report that their service succeeded.
  func reportingSuccess(in key: String, as value: String) -> PayloadSchema {
    var schema = self
    schema.success = Success(key: key, value: value)
    return schema
  }

  /// The field with a name, which is its path joined by dots.
  public func field(named name: String) -> Field? {
    fields.first { $0.name == name }
  }
}

extension PayloadSchema.Field {
  package var recordField: RecordField {
    let type: FieldType =
      switch kind {
      case .text, .url: .text
      case .uuid: .uuid
      case .date: .date
      case .integer: .integer
      case .number: .number
      case .boolean: .boolean
      case .textList: .textList
      case .json: .span
      }
    return RecordField(id: id, type: type, isOptional: !isRequired)
  }
}

extension PayloadSchema {
  /// The schema of records that an earlier version of this contract has stored: without the fields
  /// that their layout lacks. Nil if the contract cannot read them.
  package func reading(_ stored: RecordLayout) -> PayloadSchema? {
    if layout == stored { return self }
    guard stored.canBeRead(as: layout) else { return nil }
    let fields = fields.compactMap { field -> Field? in
      guard let record = stored.fields.first(where: { $0.id == field.id }) else { return nil }
      return Field(
        id: field.id, path: field.path, kind: field.kind, isRequired: !record.isOptional,
        isIndexed: field.isIndexed, isImage: field.isImage)
    }
    guard let keyField = fields.first(where: { $0.id == self.keyField.id }) else { return nil }
    var schema = PayloadSchema(
      name: name, identifier: identifier, recordKey: recordKey, fields: fields,
      keyField: keyField, layout: stored)
    schema.success = success
    return schema
  }

  /// The schema of records whose names are not known: a field is called by its id, as in `field7`.
  /// Nil if the layout has no such key field.
  package init?(withoutNames layout: RecordLayout, kind: String, key: UInt16) {
    let fields = layout.fields.map { field in
      Field(
        id: field.id, path: ["field\(field.id)"], kind: Kind(field.type),
        isRequired: !field.isOptional, isIndexed: false, isImage: false)
    }
    guard let keyField = fields.first(where: { $0.id == key }) else { return nil }
    self.init(
      name: kind, identifier: layout.schemaID, recordKey: nil, fields: fields, keyField: keyField,
      layout: layout)
  }

  /// The same schema with these indexed fields.
  package func indexed(by ids: [UInt16]) -> PayloadSchema {
    let fields = fields.map { field in
      Field(
        id: field.id, path: field.path, kind: field.kind, isRequired: field.isRequired,
        isIndexed: ids.contains(field.id), isImage: field.isImage)
    }
    var schema = PayloadSchema(
      name: name, identifier: identifier, recordKey: recordKey, fields: fields,
      keyField: fields.first { $0.id == keyField.id } ?? keyField, layout: layout,
      document: document)
    schema.success = success
    return schema
  }
}

extension PayloadSchema.Kind {
  fileprivate init(_ type: FieldType) {
    self =
      switch type {
      case .text: .text
      case .textList: .textList
      case .boolean: .boolean
      case .integer: .integer
      case .number: .number
      case .date: .date
      case .uuid: .uuid
      case .json, .span: .json
      }
  }
}

/// The error of a schema whose parts are inconsistent, or of a text that is not a schema.
public struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and how to fix it.
  public let message: String
  /// The position in a schema's text as a JSON Pointer (RFC 6901); nil for a schema without a text.
  public let pointer: String?

  init(_ message: String, at pointer: String? = nil) {
    self.message = pointer.map { "\(message) (at \($0.isEmpty ? "the top level" : $0))" } ?? message
    self.pointer = pointer
  }

  public var description: String { message }
}
