public import FeedRecord

/// A payload contract as a value: what a record is made of, and where records lie in a document.
///
/// The five contracts of the apps are such values; another payload needs no more than one, and a
/// ``PayloadModel`` if its records are wanted as Swift values.
public struct PayloadSchema: Sendable, Hashable {
  /// What a field holds.
  public enum Kind: Sendable, Hashable {
    case text
    /// An absolute URL (RFC 3986), with a host for http and https; kept as its text.
    case url
    /// A hyphenated UUID (RFC 9562).
    case uuid
    /// A date and time with a zone (RFC 3339, and the looser forms of the apps' decoders). A lenient
    /// reader takes other forms, too: `CachePolicy.Dates.lenient`.
    case date
    /// A whole number of 64 bits.
    case integer
    /// A finite number.
    case number
    case boolean
    /// An array of strings.
    case textList
  }

  /// One field of a record.
  public struct Field: Sendable, Hashable {
    /// Never used for another field, in no later version of the contract.
    public let id: UInt16
    /// Object keys from the record inwards.
    public let path: [String]
    /// What the field holds.
    public let kind: Kind
    /// True if a record without it, or with null in its place, is refused.
    public let isRequired: Bool
    /// True if stores index their records by it, so that it can be looked up.
    public let isIndexed: Bool
    /// True if the URL is that of an image: what a sweep of the image store keeps.
    public let isImage: Bool

    /// Makes a field.
    ///
    /// - Parameters:
    ///   - id: a number of its own.
    ///   - path: object keys from the record inwards; at least one.
    ///   - kind: what it holds.
    ///   - isRequired: false if a record may leave it out or have null in its place.
    ///   - isIndexed: true to have stores index their records by it. Texts, URLs, UUIDs, whole
    ///     numbers and the elements of lists can be; it costs 8 bytes a record.
    ///   - isImage: true for the URL of an image.
    public init(
      id: UInt16, _ path: String..., kind: Kind, isRequired: Bool = true, isIndexed: Bool = false,
      isImage: Bool = false
    ) {
      self.id = id
      self.path = path
      self.kind = kind
      self.isRequired = isRequired
      self.isIndexed = isIndexed
      self.isImage = isImage
    }

    /// The path as one word: its keys joined by dots.
    public var name: String { path.joined(separator: ".") }
  }

  /// The name of the payload's kind; also the default name of its feed.
  public let name: String
  /// A number for the kind, kept in every block.
  public let identifier: UInt32
  /// The key under which records lie in a top-level object; nil if the document is their array.
  public let recordKey: String?
  /// The fields, in the order in which they are written as JSON.
  public let fields: [Field]
  /// The field that look-ups go by: required, text, URL or UUID. Keys need not be unique.
  public let keyField: Field
  /// How records of this schema are laid out.
  public let layout: RecordLayout

  /// - Parameters:
  ///   - name: the kind; 1–64 of `A–Z a–z 0–9 . _ -`, not starting with a dot.
  ///   - identifier: a number for it; those below 1 000 are FeedCore's.
  ///   - recordKey: the key of the array of records in a top-level object, if there is one.
  ///   - key: the id of the field that look-ups go by.
  ///   - fields: at most 256. Fields inside one object must be neighbours.
  /// - Throws: ``SchemaError`` if the parts do not fit together.
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

  // The fields of each object stand in one run, and no field is itself such an object.
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

  /// The field of a name, its path joined by dots.
  public func field(named name: String) -> Field? {
    fields.first { $0.name == name }
  }
}

extension PayloadSchema.Field {
  var recordField: RecordField {
    let type: FieldType =
      switch kind {
      case .text, .url: .text
      case .uuid: .uuid
      case .date: .date
      case .integer: .integer
      case .number: .number
      case .boolean: .boolean
      case .textList: .textList
      }
    return RecordField(id: id, type: type, isOptional: !isRequired)
  }
}

/// A schema whose parts do not fit together.
public struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and how to mend it.
  public let message: String
  init(_ message: String) { self.message = message }
  public var description: String { message }
}
