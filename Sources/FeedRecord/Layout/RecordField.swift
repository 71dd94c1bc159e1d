/// One field of a record layout.
public struct RecordField: Hashable, Sendable {
  /// The number by which readers in every language find the field. An id is never reused for
  /// another field.
  public let id: UInt16
  /// The type of the value.
  public let type: FieldType
  /// Whether the record distinguishes an explicit null from an absent field.
  public let isOptional: Bool

  /// Creates a field.
  public init(id: UInt16, type: FieldType, isOptional: Bool = false) {
    self.id = id
    self.type = type
    self.isOptional = isOptional
  }
}
