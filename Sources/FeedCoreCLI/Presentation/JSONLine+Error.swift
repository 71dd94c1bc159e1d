import FeedCore
import JSONStream

extension JSONLine {
  /// Where an error is and why it is one, as `check` and the rejects of `ingest` tell it.
  mutating func addPlace(of error: JSONError) {
    add("byteOffset", error.extent == .nothing ? nil : error.byteOffset)
    if error.extent == .compressedInput { add("compressed", true) }
    add("line", error.extent == .text ? error.line : nil)
    add("column", error.extent == .text ? error.column : nil)
    add("record", error.record)
    add("pointer", error.pointer)
    add("reason", error.reason)
  }

  /// What else `check` tells: the text around it, and for a field's value what was wanted.
  mutating func addDetails(of error: JSONError) {
    add("characterColumn", error.extent == .text ? error.characterColumn : nil)
    add("excerpt", error.excerpt)
    add("caret", error.excerptCaret)
    guard let mismatch = error.mismatch else { return }
    add("field", mismatch.field)
    add("expected", mismatch.expected)
    add("found", mismatch.found)
  }
}

extension JSONError {
  fileprivate enum Extent {
    case text
    /// Its bytes stand in no line.
    case compressedInput
    /// Nothing was read that a place could be in.
    case nothing
  }

  /// What the place of the error is a place in.
  fileprivate var extent: Extent {
    switch kind {
    case .compression: .compressedInput
    case .noInput, .inputOutput, .cancelled: .nothing
    default: .text
    }
  }
}
