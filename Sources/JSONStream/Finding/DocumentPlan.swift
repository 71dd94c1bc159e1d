/// Where the records of a document lie, and what separates them.
package struct DocumentPlan: Sendable, Hashable {
  /// How the records follow one another. The raw values are those of a stored feed.
  package enum Framing: UInt8, Sendable, CaseIterable {
    /// The elements of an array.
    case array = 0
    /// One record a line (NDJSON).
    case lines = 1
    /// Values one after the other, with any white space between them.
    case concatenated = 2
    /// RFC 7464: a record separator before each value.
    case sequence = 3
    /// The values of an object's members.
    case keyed = 4
    /// The elements of an array after the first one, which names their columns.
    case rows = 5
    /// The document itself is the only record.
    case single = 6
  }

  package var framing: Framing
  /// The object keys that lead from the document to the array or object of records; empty for the
  /// document itself, and for every framing without such a container.
  package var path: [String]

  package init(_ framing: Framing, at path: [String] = []) {
    self.framing = framing
    self.path = path
  }

  /// The path as a JSON Pointer (RFC 6901).
  package var pointer: String { path.map { "/" + $0.jsonPointerEscaped }.joined() }
}
