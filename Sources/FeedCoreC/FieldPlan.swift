import FeedRecord
import FeedSchema
import FeedStorage

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
    let taken = feed.layout.fields.filter { wanted?.contains($0.id) ?? true }
    let found = taken.compactMap { field in
      feed.layout.location(of: field.id).map { location in
        Field(id: field.id, type: field.type, isOptional: field.isOptional, location: location)
      }
    }
    fields = Self.memory(found)
    checked = Self.memory(found.filter { $0.type.hasInvalidBytes }.map(\.location))
    names = found.map { field in
      (known?.first { $0.id == field.id }?.name).map { FieldNames.text($0) }
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
