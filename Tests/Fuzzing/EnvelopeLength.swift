/// Counts the bytes of all fields next to the records of a document, as JSON text in its shortest
/// form. The parser limits that text.
///
/// Until an array of records starts, a longer text is no fault: the object may be a record itself.
struct EnvelopeLength {
  private let limit: Int
  private var count = 0
  private var needsComma = false
  private var isGivenUp = false
  private var hasRecords = false

  init(limit: Int) { self.limit = limit }

  mutating func open(isRecords: Bool) -> Bool {
    if isRecords, isGivenUp { return false }
    begin(1)
    needsComma = false
    if isRecords { hasRecords = true }
    return isWithinLimit()
  }

  /// Adds a token; false if the text is too long.
  mutating func add(
    _ token: StrictScanner.Token, _ scanner: StrictScanner, isRecords: Bool
  ) -> Bool {
    switch token {
    case .beginObject, .beginArray: return open(isRecords: isRecords)
    case .endObject, .endArray:
      count += isGivenUp ? 0 : 1
      needsComma = true
    case .key:
      begin(scanner.minifiedCount + 1)
      needsComma = false
    case .string:
      begin(scanner.minifiedCount)
    case .number, .null, .true, .false: begin(scanner.token.count)
    case .end: break
    }
    return isWithinLimit()
  }

  private mutating func begin(_ length: Int) {
    if isGivenUp { return }
    count += length + (needsComma ? 1 : 0)
    needsComma = true
  }

  private mutating func isWithinLimit() -> Bool {
    guard !isGivenUp, count > limit else { return true }
    if !hasRecords { isGivenUp = true }
    return !hasRecords
  }
}
