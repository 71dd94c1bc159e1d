/// Limits on the resources that a document may use. An error names the limit that was exceeded.
public struct JSONLimits: Sendable, Hashable {
  /// Brackets open at once, including those of the document.
  public var depth = 128
  /// Bytes of one record, from its opening to its closing bracket. For a line, and for an object
  /// that is the document, the white space after it counts too.
  public var recordBytes = 16 << 20
  /// Bytes of one string value, unescaped.
  public var stringBytes = 16 << 20
  /// Bytes of one object key, unescaped.
  public var keyBytes = 64 << 10
  /// Bytes of one number.
  public var numberBytes = 1000
  /// Bytes of all fields next to the records in a wrapped document.
  public var siblingBytes = 1 << 20
  /// Elements of one list field.
  public var listElements = 1 << 20

  /// The defaults.
  public init() {}

  /// The limits as the parser uses them: from 1 up to 1 GiB, which fits the 32-bit offsets of a
  /// chunk and of a record's layout.
  var clamped: JSONLimits {
    var result = self
    let all: [WritableKeyPath<JSONLimits, Int>] = [
      \.depth, \.recordBytes, \.stringBytes, \.keyBytes, \.numberBytes, \.siblingBytes,
      \.listElements,
    ]
    for limit in all { result[keyPath: limit] = min(max(self[keyPath: limit], 1), 1 << 30) }
    return result
  }

  /// The message for an exceeded limit: the limit, and how to raise it.
  func message(for limit: KeyPath<JSONLimits, Int>) -> String {
    let value = self[keyPath: limit]
    return switch limit {
    case \.depth: "nested deeper than the limit of \(value) levels (raise it with --max-depth)"
    case \.recordBytes:
      "a record is longer than the limit of \(value) bytes (raise it with --max-record-bytes)"
    case \.stringBytes:
      "a string is longer than the limit of \(value) bytes (raise it with --max-string-bytes)"
    case \.keyBytes:
      "a key is longer than the limit of \(value) bytes (raise it with --max-key-bytes)"
    case \.numberBytes:
      "a number is longer than the limit of \(value) bytes (raise it with --max-number-bytes)"
    case \.siblingBytes:
      "what stands beside the records is longer than the limit of \(value) bytes "
        + "(raise it with --max-sibling-bytes)"
    default:
      "a list is longer than the limit of \(value) elements (raise it with --max-list-elements)"
    }
  }
}
