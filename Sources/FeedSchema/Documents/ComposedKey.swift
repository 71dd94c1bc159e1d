import JSONStream

/// Keys of documents that are composed of several values.
///
/// Their bytes are those of the values, joined by ``DocumentForm/partSeparator``. As text they are a
/// JSON array, as in `["a","1"]`.
package enum ComposedKey {
  /// The text of a key's bytes.
  package static func text(_ bytes: borrowing RawSpan) -> String {
    let all = bytes.withUnsafeBytes { Array($0) }
    var text: [UInt8] = [0x5B]
    let parts = all.split(
      separator: DocumentForm.partSeparator, omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index > 0 { text.append(0x2C) }
      JSONText.appendString(part.span.bytes, to: &text)
    }
    text.append(0x5D)
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a key that is given as a JSON array of strings, numbers and booleans; nil for any
  /// other text.
  package static func bytes(ofText text: RawSpan) -> [UInt8]? {
    guard let tree = try? JSONTree(parsing: text), let elements = tree.elements else { return nil }
    var parts: [[UInt8]] = []
    for element in elements {
      switch element {
      case .string(let text): parts.append(Array(text.utf8))
      case .boolean(let value): parts.append(Array((value ? "true" : "false").utf8))
      case .number(let digits):
        var bytes: [UInt8] = []
        KeyText.append(Array(digits.utf8).span.bytes, to: &bytes)
        parts.append(bytes)
      case .null, .array, .object: return nil
      }
    }
    return bytes(ofParts: parts)
  }

  /// The bytes of a key that is given by the bytes of its values.
  package static func bytes(ofParts parts: [[UInt8]]) -> [UInt8] {
    Array(parts.joined(separator: [DocumentForm.partSeparator]))
  }
}
