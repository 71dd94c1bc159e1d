/// The punctuation around keys and values in one format. It is made before the first record, so
/// that a record only copies bytes.
struct SampleStyle {
  let isPretty: Bool
  /// The indentation depth of the records' own keys.
  let recordDepth: Int

  /// The text before the value of a key: comma, line break, indentation, key and colon.
  func key(_ name: String, depth: Int? = nil, isFirst: Bool = false) -> String {
    let comma = isFirst ? "" : ","
    guard isPretty else { return "\(comma)\"\(name)\":" }
    return "\(comma)\n\(indentation(depth ?? recordDepth))\"\(name)\": "
  }

  /// The end of an object whose keys are at `depth`.
  func end(depth: Int? = nil) -> String {
    isPretty ? "\n\(indentation((depth ?? recordDepth) - 1))}" : "}"
  }

  /// The comma between the elements of a short list.
  var listComma: String { isPretty ? ", " : "," }

  func indentation(_ depth: Int) -> String {
    isPretty ? String(repeating: "  ", count: depth) : ""
  }
}

extension [UInt8] {
  init(text: String) {
    self.init(text.utf8)
  }
}
