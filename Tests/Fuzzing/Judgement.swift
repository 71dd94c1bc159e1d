/// The judge's result for a document of records.
struct Judgement {
  /// An element in the position of a record.
  struct Element {
    enum Verdict {
      /// An object: a record.
      case record
      /// Valid JSON, but not an object.
      case notARecord
      /// A line that is not JSON, or exceeds a limit.
      case refused
    }

    var verdict: Verdict
    var range: Range<Int>
    /// A digest of the selected values.
    var values: UInt64 = 0
  }

  enum Shape: Hashable {
    case array, wrapped, lines, single
  }

  /// True if nothing in the document is rejected.
  var isValid = false
  /// The arrangement of its records; nil if it is not determined.
  var shape: Shape?
  /// Its elements in order, up to its first fault; in a document of lines, all lines.
  var elements: [Element] = []
}

/// The judge's result for a document as one JSON text.
struct TextJudgement {
  var isValid: Bool
  /// The first byte of the token that exceeds a limit, if that makes the text invalid.
  var limitPlace: Int?
}
