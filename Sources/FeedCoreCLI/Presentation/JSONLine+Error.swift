import FeedCore
import JSONStream

extension JSONLine {
  /// Where an error is and why it is one, as `check` and the rejects of `ingest` tell it.
  mutating func addPlace(of error: JSONError) {
    add("byteOffset", error.byteOffset)
    add("line", error.line)
    add("column", error.column)
    add("record", error.record)
    add("pointer", error.pointer)
    add("reason", error.reason)
  }

  /// What else `check` tells: the text around it, and for a field's value what was wanted.
  mutating func addDetails(of error: JSONError) {
    add("characterColumn", error.characterColumn)
    add("excerpt", error.excerpt)
    add("caret", error.excerptCaret)
    guard let mismatch = error.mismatch else { return }
    add("field", mismatch.field)
    add("expected", mismatch.expected)
    add("found", mismatch.found)
  }
}
