import FeedRecord
import FeedSchema
import FeedStorage
import JSONStream

/// The fields that a reader extracts from each record of a feed.
///
/// Safety: the fields are trivial values in memory of this object, written in `init` and freed only
/// in `deinit`. An array would cost reference counting for each access.
final class FieldPlan {
  struct Field {
    let id: UInt16
    let type: FieldType
    let isOptional: Bool
    /// Its location in the records.
    let location: FieldLocation
  }

  /// The JSON text of a document.
  let text: FieldLocation?
  /// The path of each span, for values to which a span cannot refer.
  let paths: [JSONPath?]
  /// Writes the JSON text of a flat record.
  let writer: RecordWriter?

  /// The feed that the plan was made for.
  let feed: FeedObject
  let fields: UnsafeBufferPointer<Field>
  /// The locations of fields whose bytes may be invalid for their type.
  let checked: UnsafeBufferPointer<FieldLocation>
  /// The name of each field, if known.
  let names: [CText?]
  private let schema: StoredSchema?

  /// - Parameters:
  ///   - wanted: the ids of the fields to extract; nil for all
  ///   - known: the feed's existing description
  init(_ feed: FeedDescription, wanted: Set<UInt16>?, known existing: FeedObject? = nil) {
    schema = feed.storedSchema
    let known = feed.hasFieldNames ? feed.schema?.fields : nil
    let isDocument = feed.schema?.document != nil
    // The decoded bytes are not a value, only a target of spans.
    let taken = feed.layout.fields.filter {
      (wanted?.contains($0.id) ?? true) && !(isDocument && $0.id == DocumentForm.decodedField)
    }
    let found = taken.compactMap { field in
      feed.layout.location(of: field.id).map { location in
        Field(id: field.id, type: field.type, isOptional: field.isOptional, location: location)
      }
    }
    fields = Self.memory(found)
    checked = Self.memory(found.filter { $0.type.hasInvalidBytes }.map(\.location))
    text = isDocument ? feed.layout.location(of: DocumentForm.recordField) : nil
    writer = isDocument ? nil : feed.schema.map { RecordWriter($0) }
    names = found.map { field in
      // The path of the record itself is empty.
      if isDocument, field.id == DocumentForm.recordField { return FieldNames.text("") }
      let name = known?.first { $0.id == field.id && !$0.path.isEmpty }?.name
      return name.map { FieldNames.text($0) }
    }
    paths = found.map { field in
      guard isDocument, let path = known?.first(where: { $0.id == field.id })?.path,
        !path.isEmpty
      else { return nil }
      return JSONPath(keys: path)
    }
    self.feed = existing ?? FeedObject(feed)
  }

  deinit {
    fields.deallocate()
    checked.deallocate()
  }

  private static func memory<Value>(_ values: [Value]) -> UnsafeBufferPointer<Value> {
    let memory = UnsafeMutableBufferPointer<Value>.allocate(capacity: values.count)
    _ = memory.initialize(from: values)
    return UnsafeBufferPointer(memory)
  }

  /// Whether the records of a feed have these fields, with these names and locations. Equal ids and
  /// types are not enough: each kind assigns its own meaning to them.
  func isOf(_ other: StoredSchema?) -> Bool {
    if schema === other { return true }
    guard let own = schema?.schema, let other = other?.schema else { return false }
    return own.name == other.name && own.layout == other.layout
      && own.fields.map(\.path) == other.fields.map(\.path)
  }

  /// The index of the field with a name.
  func index(named name: UnsafeRawBufferPointer) -> Int? {
    names.firstIndex { text in
      guard let text, text.count == name.count else { return false }
      return name.elementsEqual(UnsafeRawBufferPointer(start: text.start, count: text.count))
    }
  }
}
