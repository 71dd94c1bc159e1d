import FeedCore
import FeedSchema
import FeedTools
import JSONStream

extension JSONLine {
  /// Adds the position and the reason of an error, for `check` and the rejects of `ingest`.
  mutating func addPosition(of error: JSONError) {
    add("byteOffset", error.extent == .nothing ? nil : error.byteOffset)
    if error.extent == .compressedInput { add("compressed", true) }
    add("line", error.extent == .text ? error.line : nil)
    add("column", error.extent == .text ? error.column : nil)
    add("record", error.record)
    add("pointer", error.pointer)
    add("reason", error.reason)
  }

  /// Adds further details for `check`: the text around the error, and the expectation for a field's
  /// value.
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

extension JSONLine {
  /// A number below 10^9 with this number of decimals.
  mutating func add(_ key: String, _ value: Double?, decimals: Int) {
    guard let value, value.magnitude <= 1e9 else { return add(key, json: "null".utf8) }
    add(key, json: ReadableNumber.fixed(value, decimals: decimals).utf8)
  }

  /// A date in ISO 8601; null if it is unknown or has no such form.
  mutating func add(_ key: String, referenceSeconds: Double?) {
    let text = referenceSeconds.flatMap { DateText.text(referenceSeconds: $0) }
    add(key, text.map { String(decoding: $0, as: UTF8.self) })
  }
}

extension Output {
  /// Writes an object as one line.
  func write(_ line: JSONLine) { write(line.text + [0x0A]) }
}

extension JSONError {
  fileprivate enum Extent {
    case text
    /// Its bytes do not belong to a line.
    case compressedInput
    /// Nothing was read, so there is no position.
    case nothing
  }

  /// What the position of the error refers to.
  fileprivate var extent: Extent {
    switch kind {
    case .compression: .compressedInput
    case .noInput, .inputOutput, .cancelled: .nothing
    default: .text
    }
  }
}
