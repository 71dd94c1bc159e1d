import FeedCore

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
}
