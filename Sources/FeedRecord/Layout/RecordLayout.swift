/// The fields of one kind of record, in storage order.
public struct RecordLayout: Hashable, Sendable {
  /// The maximum number of fields.
  @inlinable public static var maximumFieldCount: Int { 256 }

  /// Identifies the layout. The owner of a schema chooses it and changes it together with the
  /// fields.
  public let schemaID: UInt32
  /// The fields, in the order of their bits in the bitmap.
  public let fields: [RecordField]
  @usableFromInline let shape: RecordShape
  @usableFromInline let locations: [FieldLocation]
  /// The field table as stored in a block's header.
  @usableFromInline let table: [UInt8]

  /// - Throws: `invalidLayout` for more than 256 fields or two fields with the same id.
  public init(schemaID: UInt32, fields: [RecordField]) throws(RecordError) {
    guard fields.count <= Self.maximumFieldCount else {
      throw RecordError(.invalidLayout, "a layout has at most 256 fields, not \(fields.count)")
    }
    var seen = Set<UInt16>(minimumCapacity: fields.count)
    for field in fields where !seen.insert(field.id).inserted {
      throw RecordError(.invalidLayout, "field id \(field.id) is given twice")
    }
    self.schemaID = schemaID
    self.fields = fields
    shape = Self.shape(of: fields)
    locations = Self.locations(of: fields, in: shape)
    table = fields.flatMap { field in
      [
        UInt8(truncatingIfNeeded: field.id), UInt8(field.id >> 8), field.type.rawValue,
        field.isOptional ? BlockFormat.optionalField : 0,
      ]
    }
  }

  /// The location of a field; nil if the layout has no such id. Searches all fields.
  public func location(of id: UInt16) -> FieldLocation? {
    fields.firstIndex { $0.id == id }.map { locations[$0] }
  }

  /// Whether the records are documents: JSON texts with spans into them.
  package var isDocument: Bool { fields.last?.type == .json }

  /// Whether the fields of another layout can read records of this one. A later version of a
  /// contract adds fields that an earlier one lacks.
  package func canBeRead(as other: RecordLayout) -> Bool {
    schemaID == other.schemaID
      && other.fields.allSatisfy { field in
        guard let own = fields.first(where: { $0.id == field.id }) else { return field.isOptional }
        return own.type == field.type && (field.isOptional || !own.isOptional)
      }
  }

  /// Whether records of this layout can be rewritten in another one without losing fields.
  package func canBecome(_ other: RecordLayout) -> Bool {
    canBeRead(as: other) && Set(fields.map(\.id)).isSubset(of: other.fields.map(\.id))
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.schemaID == right.schemaID && left.fields == right.fields
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(schemaID)
    hasher.combine(fields)
  }

  private static func shape(of fields: [RecordField]) -> RecordShape {
    var shape = RecordShape()
    for field in fields {
      let width = FieldWidth.of(rawType: field.type.rawValue) ?? 0
      shape.add(width: width, isOptional: field.isOptional)
    }
    return shape
  }

  private static func locations(
    of fields: [RecordField], in whole: RecordShape
  ) -> [FieldLocation] {
    var before = RecordShape()
    return fields.map { field in
      let location = before.nextLocation(
        rawType: field.type.rawValue, isOptional: field.isOptional,
        presenceBitCount: whole.fieldCount, bitmapByteCount: whole.bitmapByteCount)
      let width = FieldWidth.of(rawType: field.type.rawValue) ?? 0
      before.add(width: width, isOptional: field.isOptional)
      return location
    }
  }
}
