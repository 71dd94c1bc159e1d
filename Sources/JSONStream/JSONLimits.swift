/// Bounds on what a document may ask of the parser. An error names the limit it met.
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

  /// The limits as the parser can keep them: not negative, and none over 1 GiB, which offsets of
  /// 32 bits in a chunk and a record's layout can hold.
  var clamped: JSONLimits {
    var result = self
    let all: [WritableKeyPath<JSONLimits, Int>] = [
      \.depth, \.recordBytes, \.stringBytes, \.keyBytes, \.numberBytes, \.siblingBytes,
      \.listElements,
    ]
    for limit in all { result[keyPath: limit] = min(max(self[keyPath: limit], 1), 1 << 30) }
    return result
  }
}
