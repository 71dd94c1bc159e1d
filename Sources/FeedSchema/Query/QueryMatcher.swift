@_spi(Records) import JSONStream

/// Finds the records that meet all conditions, by their JSON texts.
///
/// It searches a record for the text of a condition before it walks over the record. It stops these
/// searches if they do not save most walks. It counts both, so each thread has its own matcher.
package struct QueryMatcher: Sendable {
  /// The number of records after which a search that saves too few walks is no longer tried.
  private static let trial = 256

  /// Bytes that a matching record contains, unless it writes them with escapes.
  private struct Needle: Sendable {
    let bytes: [UInt8]
    /// Whether the case of letters is ignored. Letters beyond ASCII may then fold to these bytes.
    let folds: Bool
    var searched = 0
    var spared = 0

    var isUseful: Bool { searched < QueryMatcher.trial || spared * 2 > searched }
  }

  private let conditions: [QueryCondition]
  private var needle: Needle?

  package init(_ conditions: [QueryCondition]) {
    self.conditions = conditions
    needle = conditions.lazy.compactMap(Self.needle).first
  }

  /// The first value that can be searched for; nil if there is none.
  private static func needle(of condition: QueryCondition) -> Needle? {
    guard !condition.isNegated else { return nil }
    switch condition.test {
    case .isOneOf(let literals):
      // A number has other notations, and another date text may mean the same instant.
      guard literals.count == 1, let literal = literals.first, literal.number == nil,
        literal.instant == nil, literal.bytes.count >= 2, hasOneNotation(literal.bytes)
      else { return nil }
      return Needle(bytes: literal.bytes, folds: false)
    case .contains(let pattern):
      guard let bytes = pattern.plain, bytes.count >= 2, hasOneNotation(bytes) else { return nil }
      return Needle(bytes: bytes, folds: true)
    case .isBefore, .isAfter, .exists: return nil
    }
  }

  /// Whether a JSON text without escapes has these bytes as they are.
  private static func hasOneNotation(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
  }

  /// Whether all conditions are true of a record.
  package mutating func matches(_ text: RawSpan) -> Bool {
    if let needle, needle.isUseful {
      self.needle?.searched += 1
      if !Self.mayContain(text, needle) {
        self.needle?.spared += 1
        return false
      }
    }
    for condition in conditions where !condition.matches(text) { return false }
    return true
  }

  private static func mayContain(_ text: RawSpan, _ needle: Needle) -> Bool {
    if ByteFinder.contains(text, needle.bytes.span.bytes, folds: needle.folds) { return true }
    // With an escape a string may have the same value in other bytes.
    if ByteFinder.containsByte(text, 0x5C) { return true }
    return needle.folds && !FoldedPattern.isASCII(text)
  }
}
