import JSONStream
import TestSupport
import Testing

/// A planned document gives the same records, envelope, verdict and position in every manner of
/// reading, and those of one handle over the whole document.
@Suite("Planned documents against one handle over the whole document")
struct PlannedPropertyTests {
  @Test(
    "records, member keys and envelope are those of the document",
    arguments: DocumentPlan.Framing.allCases)
  func valid(framing: DocumentPlan.Framing) {
    var seeds = SeededGenerator(seed: UInt64(framing.rawValue))
    for _ in 0..<40 {
      let document = PlannedDocument(framing, using: &seeds)
      let bytes = Array(document.text.utf8)
      var expected: PlannedReading?
      for manner in PlannedReading.Manner.some(using: &seeds) {
        let reading = PlannedReading(bytes, document.plan, manner)
        let note = Comment(rawValue: "\(document.text) at \(document.plan.pointer), \(manner)")
        #expect(reading.error == nil, note)
        #expect(reading.records == document.records, note)
        if framing == .keyed { #expect(reading.keys == document.keys, note) }
        #expect(reading.before == document.before, note)
        #expect(reading.after == document.after, note)
        compare(reading, expected, note)
        expected = expected ?? reading
      }
    }
  }

  @Test("mutated documents get the same verdict at the same byte", arguments: 0..<7)
  func mutated(framing: UInt8) throws {
    let framing = try #require(DocumentPlan.Framing(rawValue: framing))
    var seeds = SeededGenerator(seed: 100 + UInt64(framing.rawValue))
    var refused = 0
    for _ in 0..<120 {
      let document = PlannedDocument(framing, using: &seeds)
      var bytes = Array(document.text.utf8)
      EnvelopePropertyTests.mutate(&bytes, using: &seeds)
      let reference = Reference(bytes, framing)
      if !reference.offsets.isEmpty { refused += 1 }
      var expected: PlannedReading?
      for manner in PlannedReading.Manner.some(using: &seeds) {
        let reading = PlannedReading(bytes, document.plan, manner)
        let text = String(decoding: bytes, as: UTF8.self)
        let note = Comment(rawValue: "\(text) at \(document.plan.pointer), \(manner)")
        compare(reading, expected, note)
        expected = expected ?? reading
        if reading.error?.kind == .shape {
          // The mutation has removed the container, or the document.
          #expect(reference.offsets.isEmpty, note)
          continue
        }
        let errors = reading.rejected + [reading.error].compactMap(\.self)
        #expect(errors.map(\.byteOffset) == reference.offsets, note)
      }
    }
    #expect(refused > 20 && refused < 110)
  }

  private func compare(_ reading: PlannedReading, _ other: PlannedReading?, _ note: Comment) {
    guard let other else { return }
    #expect(reading.head == other.head && reading.isComplete == other.isComplete, note)
    #expect(reading.error == other.error, note)
    #expect(reading.rejected == other.rejected, note)
    #expect(reading.records == other.records, note)
    #expect(reading.keys == other.keys, note)
    #expect(reading.values == other.values, note)
    #expect(reading == other, note)
  }
}

/// The faults of a document, each found by one handle over one text.
private struct Reference {
  private(set) var offsets: [Int] = []

  init(_ document: [UInt8], _ framing: DocumentPlan.Framing) {
    // An input without a value has no records, and no fault.
    if document.allSatisfy(isSpace) { return }
    switch framing {
    case .array, .keyed, .rows, .single: _ = check(document[...])
    case .lines:
      for line in document.split(separator: 0x0A) where !isBlank(line, framing) {
        let end = (line.lastIndex { !isSpace($0) }).map { $0 + 1 } ?? line.endIndex
        _ = check(line[..<end])
      }
    case .concatenated, .sequence: checkTexts(document, framing)
    }
  }

  // Returns false for a fault.
  private mutating func check(_ text: ArraySlice<UInt8>) -> Bool {
    guard let error = failure(of: Array(text), framing: .none) else { return true }
    offsets.append(text.startIndex + error.byteOffset)
    return false
  }

  private mutating func checkTexts(_ document: [UInt8], _ framing: DocumentPlan.Framing) {
    var start = 0
    while start < document.count {
      guard !isBlank(document[start...start], framing) else {
        start += 1
        continue
      }
      let end = end(of: document, from: start, framing)
      guard check(document[start..<end]) else { return }
      start = end
    }
  }

  private func end(of document: [UInt8], from start: Int, _ framing: DocumentPlan.Framing) -> Int {
    var (depth, isInString, index) = (0, false, start)
    let isScalar = !Array("{}[],:\"".utf8).contains(document[start])
    while index < document.count {
      let byte = document[index]
      if isInString {
        index += byte == 0x5C ? 2 : 1
        isInString = byte != 0x22
        if !isInString, depth == 0 { return min(index, document.count) }
        continue
      }
      if isScalar, Array("{}[],:\"".utf8).contains(byte) || isBlank([byte], framing) {
        return index
      }
      // Outside strings, an escaped byte is neither a quote nor a bracket.
      if byte == 0x5C, !isScalar {
        index += 2
        continue
      }
      index += 1
      switch byte {
      case 0x22: isInString = true
      case 0x5B, 0x7B: depth += 1
      case 0x5D, 0x7D: depth -= 1
      default: break
      }
      if !isScalar, depth <= 0, !isInString { return index }
    }
    return document.count
  }

  private func isSpace(_ byte: UInt8) -> Bool {
    [0x20, 0x09, 0x0A, 0x0D].contains(byte)
  }

  private func isBlank(_ text: ArraySlice<UInt8>, _ framing: DocumentPlan.Framing) -> Bool {
    text.allSatisfy { isSpace($0) || ($0 == 0x1E && framing == .sequence) }
  }
}
