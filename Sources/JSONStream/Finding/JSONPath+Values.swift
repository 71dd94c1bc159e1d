// The values of a path with `[]`.
extension JSONPath {
  /// Whether one of the values at the path passes a test. Of a repeated key the last value counts.
  package func hasValue(
    in bytes: RawSpan, where passes: (Range<Int>) -> Bool
  ) -> Bool {
    var isFound = false
    forEachValue(in: bytes) { range in
      isFound = passes(range)
      return !isFound
    }
    return isFound
  }

  /// Calls `body` with the bytes of each value at the path, in the order of the text, until it returns
  /// false.
  package func forEachValue(in bytes: RawSpan, _ body: (Range<Int>) -> Bool) {
    _ = Self.forEachValue(steps[...], in: bytes, at: 0, body)
  }

  // Recurses for each `[]`, so the recursion is no deeper than the nesting of arrays in a valid
  // text.
  private static func forEachValue(
    _ steps: ArraySlice<Step>, in bytes: RawSpan, at start: Int, _ body: (Range<Int>) -> Bool
  ) -> Bool {
    var cursor = JSONCursor(bytes, at: start)
    for place in steps.indices {
      guard steps[place] == .anyElement else {
        guard step(steps[place], &cursor) else { return true }
        continue
      }
      guard cursor.nextKind() == .array, cursor.enter() != nil else { return true }
      while cursor.nextElement() != nil {
        let element = cursor.position
        guard cursor.skipValue() != nil else { return true }
        guard forEachValue(steps[(place + 1)...], in: bytes, at: element, body) else {
          return false
        }
      }
      return true
    }
    guard let range = cursor.skipValue() else { return true }
    return body(range)
  }

  /// Moves to the value of a step other than `[]`. Returns false if there is none.
  private static func step(_ step: Step, _ cursor: inout JSONCursor) -> Bool {
    guard let start = start(of: step, &cursor, takingFirst: false) else { return false }
    cursor = JSONCursor(cursor.bytes, at: start)
    return true
  }
}
