/// What a document is, as the judge sees it.
struct Judgement {
  /// Something that stands where a record does.
  struct Element {
    enum Verdict {
      /// An object: a record.
      case record
      /// JSON, but no object.
      case notARecord
      /// A line that is not JSON, or meets a limit.
      case refused
    }

    var verdict: Verdict
    var range: Range<Int>
    /// Stands for the selected values.
    var values: UInt64 = 0
  }

  enum Shape: Hashable {
    case array, wrapped, lines, single
  }

  /// True if nothing of the document is to be refused.
  var isValid = false
  /// How its records stand in it; nil where it does not come so far.
  var shape: Shape?
  /// Its elements in order, up to its first fault. All lines, if it is lines.
  var elements: [Element] = []
}

/// What a document is as one JSON text, as the judge sees it.
struct TextJudgement {
  var isValid: Bool
  /// The first byte of the token that meets a limit, where it is that which makes it invalid.
  var limitPlace: Int?
}
