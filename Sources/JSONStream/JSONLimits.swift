/// Bounds on what a document may ask of the parser. Every one is checked before memory is spent,
/// and an error names the limit it met.
public struct JSONLimits: Sendable, Hashable {
  /// Brackets open at once, the document's own included.
  public var depth = 128
  /// Bytes of one record, from its opening to its closing bracket.
  public var recordBytes = 16 << 20
  /// Bytes of one string value, unescaped.
  public var stringBytes = 16 << 20
  /// Bytes of one object key, unescaped.
  public var keyBytes = 64 << 10
  /// Bytes of one number.
  public var numberBytes = 1000
  /// Bytes of everything that stands beside the records in a wrapped document.
  public var siblingBytes = 1 << 20
  /// Elements of one list field.
  public var listElements = 1 << 20

  /// The defaults.
  public init() {}
}
