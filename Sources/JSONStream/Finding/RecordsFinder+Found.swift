extension RecordsFinder {
  /// What the first bytes of a document show about its records.
  package struct Found: Sendable, Hashable {
    /// Where the records lie.
    package var plan: DocumentPlan
    /// The kind of value at the plan's path; nil if it does not begin in the head. A pointer's plan
    /// then says array, and the first byte of the value decides.
    package var container: JSONCursor.Kind?
    /// The bytes of the first records that are complete in the head, at most ``maximumSamples``. Of
    /// keyed records they are the values.
    package var records: [Range<Int>] = []
    /// The keys of these records, if they are keyed.
    package var keys: [JSONCursor.Text] = []
    /// The names of columns, if the first row or line is a header, which is not a record.
    package var columns: [String]?
    /// The largest containers under objects, largest first, for messages.
    package var candidates: [Candidate] = []
    /// Whether the document has no more records than these.
    package var hasAllRecords = false

    package init(plan: DocumentPlan) { self.plan = plan }
  }

  /// A container that may hold the records of a document.
  package struct Candidate: Sendable, Hashable {
    /// What it holds.
    package enum Form: Sendable, Hashable {
      /// An array, at least half of it objects.
      case objects
      /// An object of at least three objects with similar keys.
      case keyed
      /// An array, at least half of it arrays.
      case arrays
      /// Any other array, or any other object.
      case array, object
    }

    /// The object keys that lead to it.
    package var path: [String]
    package var form: Form
    /// The size of its part in the head.
    package var byteCount: Int
    /// The number of its elements or members in the head.
    package var elementCount: Int
    /// Whether the head ends inside it.
    package var isOpen: Bool

    /// The path as a JSON Pointer (RFC 6901).
    package var pointer: String { DocumentPlan(.array, at: path).pointer }
  }
}
