/// Judges whole documents, including framing and limits, by the documented rules.
///
/// For JSON, RFC 8259 is its only source. The rules outside the standard were taken from the
/// parser's documentation and code, and agree for that reason alone: which keys hold records, how
/// a document's shape is determined, and which bytes count for each limit.
struct DocumentJudge {
  /// Keys of a top-level object under which the harness looks for records.
  static let recordKeys = ["items", "results"]
  private static let recordKeyBytes = recordKeys.map { Array($0.utf8) }

  private let document: [UInt8]
  private let limits: Limits
  private var judgement = Judgement()
  private var envelope: EnvelopeLength

  private init(_ document: [UInt8], _ limits: Limits) {
    self.document = document
    self.limits = limits
    envelope = EnvelopeLength(limit: limits.siblingBytes)
  }

  /// Judges a document as one JSON text after at most one byte order mark.
  static func judgeText(_ document: [UInt8], limits: Limits) -> TextJudgement {
    var scanner = StrictScanner(
      document, in: start(of: document)..<document.count, limits: limits)
    while let token = scanner.next() {
      if token == .end { return TextJudgement(isValid: true) }
    }
    return TextJudgement(isValid: false, limitPlace: scanner.limitPlace)
  }

  /// Judges a document of records. With small limits it must be shorter than 64 KiB: the parser
  /// limits the white space after a single record, which the judge does not.
  static func judge(_ document: [UInt8], limits: Limits) -> Judgement {
    var judge = DocumentJudge(document, limits)
    judge.run()
    return judge.judgement
  }

  private static func start(of document: [UInt8]) -> Int {
    document.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  private mutating func run() {
    let start = skipSpace(from: Self.start(of: document))
    guard start < document.count else { return }
    let isArray = document[start] == 0x5B
    // A scalar may be valid JSON, but has no records.
    guard isArray || document[start] == 0x7B else { return }
    var scanner = StrictScanner(document, in: start..<document.count, limits: limits)
    if isArray {
      judgement.shape = .array
      guard scanner.next() != nil, envelope.open(isRecords: true) else { return }
      judgement.isValid = readRecords(&scanner) && readRest(&scanner, hasRecords: true)
    } else {
      runObject(&scanner, start)
    }
  }

  private func skipSpace(from start: Int) -> Int {
    document[start...].firstIndex { !StrictScanner.isSpace($0) } ?? document.count
  }

  private mutating func runObject(_ scanner: inout StrictScanner, _ start: Int) {
    guard readHead(&scanner, start) else { return }
    if judgement.shape == .wrapped {
      judgement.isValid = readRecords(&scanner) && readRest(&scanner, hasRecords: true)
      return
    }
    let next = skipSpace(from: scanner.place)
    if next == document.count {
      judgement.shape = .single
      takeText(start..<scanner.place)
    } else if document[scanner.place..<next].contains(0x0A) {
      judgement.shape = .lines
      takeLines(from: start)
    } else {
      return
    }
    judgement.isValid = judgement.elements.allSatisfy { $0.verdict != .refused }
  }

  // Reads the top-level object up to its array of records, or to its end. The array must start
  // within the length limit of a record.
  private mutating func readHead(_ scanner: inout StrictScanner, _ start: Int) -> Bool {
    var isRecordKey = false
    while let token = scanner.next() {
      let isRecords = token == .beginArray && scanner.depth == 2 && isRecordKey
      if token == .key { isRecordKey = isKeyOfRecords(scanner) }
      guard envelope.add(token, scanner, isRecords: isRecords) else { return false }
      if isRecords || scanner.depth == 0 {
        if isRecords { judgement.shape = .wrapped }
        return scanner.token.lowerBound < start + limits.recordBytes
      }
    }
    return false
  }

  private func isKeyOfRecords(_ scanner: StrictScanner) -> Bool {
    scanner.depth == 1 && Self.recordKeyBytes.contains(scanner.text)
  }

  // Reads what follows the array of records, to the end of the document.
  private mutating func readRest(_ scanner: inout StrictScanner, hasRecords: Bool) -> Bool {
    var isRecordKey = false
    while let token = scanner.next() {
      if token == .end { return true }
      if token == .key { isRecordKey = isKeyOfRecords(scanner) }
      // A second array of records is not allowed.
      if token == .beginArray, scanner.depth == 2, isRecordKey { return false }
      guard envelope.add(token, scanner, isRecords: false) else { return false }
    }
    return false
  }

  // Reads the elements of an array whose bracket has been read, and its closing bracket.
  private mutating func readRecords(_ scanner: inout StrictScanner) -> Bool {
    let depth = scanner.depth
    while let token = scanner.next() {
      if scanner.depth < depth { return envelope.add(token, scanner, isRecords: false) }
      guard scanner.depth > depth else {
        judgement.elements.append(Judgement.Element(verdict: .notARecord, range: scanner.token))
        continue
      }
      guard let element = readElement(token, &scanner), element.range.count <= limits.recordBytes
      else { return false }
      judgement.elements.append(element)
    }
    return false
  }

  // Reads an object or array whose bracket has been read.
  private func readElement(
    _ token: StrictScanner.Token, _ scanner: inout StrictScanner
  ) -> Judgement.Element? {
    let start = scanner.token.lowerBound
    let outside = scanner.depth - 1
    var values = SelectedValues(isObject: token == .beginObject)
    while let token = scanner.next() {
      if scanner.depth == outside {
        return Judgement.Element(
          verdict: values.isObject ? .record : .notARecord, range: start..<scanner.place,
          values: values.digest.value)
      }
      values.take(token, scanner, depth: scanner.depth - outside)
      if values.longestList > limits.listElements { return nil }
    }
    return nil
  }
}

// Records that are separate texts.
extension DocumentJudge {
  private mutating func takeLines(from start: Int) {
    var start = start
    while start < document.count {
      let end = document[start...].firstIndex(of: 0x0A) ?? document.count
      takeLine(start..<end)
      start = end + 1
    }
  }

  // The limit counts white space after the record, but not before it.
  private mutating func takeLine(_ line: Range<Int>) {
    let start = min(skipSpace(from: line.lowerBound), line.upperBound)
    guard start < line.upperBound else { return }
    let end = document[line].lastIndex { !StrictScanner.isSpace($0) } ?? start
    if line.upperBound - start > limits.recordBytes {
      judgement.elements.append(Judgement.Element(verdict: .refused, range: line))
    } else {
      takeText(start..<end + 1)
    }
  }

  private mutating func takeText(_ range: Range<Int>) {
    let element = readText(range) ?? Judgement.Element(verdict: .refused, range: range)
    judgement.elements.append(element)
  }

  private func readText(_ range: Range<Int>) -> Judgement.Element? {
    var scanner = StrictScanner(document, in: range, limits: limits)
    guard let first = scanner.next() else { return nil }
    var element = Judgement.Element(verdict: .notARecord, range: range)
    if first == .beginObject || first == .beginArray {
      guard let read = readElement(first, &scanner) else { return nil }
      element = read
    }
    return scanner.next() == .end ? element : nil
  }
}
