/// One field of a record layout.
public struct RecordField: Hashable, Sendable {
  /// The number that readers in every language ask for. An id is never given to another field.
  public let id: UInt16
  /// What the field holds.
  public let type: FieldType
  /// Whether the record tells an explicit null from an absent field.
  public let isOptional: Bool

  /// Makes a field.
  public init(id: UInt16, type: FieldType, isOptional: Bool = false) {
    self.id = id
    self.type = type
    self.isOptional = isOptional
  }
}
