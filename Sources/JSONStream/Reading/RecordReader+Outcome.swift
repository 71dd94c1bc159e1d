// What a planned document has shown at its end.
extension RecordReader {
  /// A container that looks like records and is larger than the planned one, if most bytes of the
  /// document are outside the planned one. Call it at the end of the document. Nil if the plan was
  /// right.
  package var betterPlan: (plan: DocumentPlan, bytes: Int)? {
    guard let plan, plan.hasContainer,
      let largest = envelopeParser.trace.seen.entries.first(where: \.looksLikeRecords)
    else { return nil }
    let records = planning.records.count
    guard buffer.end - documentStart - records > records, largest.bytes > records else {
      return nil
    }
    let path = largest.path.map { String(decoding: $0, as: UTF8.self) }
    return (DocumentPlan(largest.isArray ? .array : .keyed, at: path), largest.bytes)
  }

  /// The plan of an input that is several values, if the bytes used for planning ended inside the
  /// first. `fault` is then at the start of the second value. Nil after any other fault.
  package func planOfValues(after fault: JSONError) -> DocumentPlan? {
    guard let plan, plan.hasContainer || plan.framing == .single, hasWholeValue,
      fault.kind == .syntax, (buffer.base..<cleanEnd).contains(fault.byteOffset),
      Self.beginsValue(byte(at: fault.byteOffset))
    else { return nil }
    var start = fault.byteOffset
    while start > buffer.base, Self.isSpace(byte(at: start - 1)), byte(at: start - 1) != 0x0A {
      start -= 1
    }
    let beginsLine = start > buffer.base && byte(at: start - 1) == 0x0A
    let isLine = beginsLine && fault.line == documentPosition.line + 1
    return DocumentPlan(isLine ? .lines : .concatenated)
  }

  private static func beginsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x22, 0x2D, 0x30...0x39, 0x5B, 0x66, 0x6E, 0x74, 0x7B: true
    default: false
    }
  }

  /// The number of containers so far that have the path of the records.
  package var recordsOccurrences: Int { envelopeParser.trace.occurrences }

  /// True if more containers with the same path followed the records, and the last one counts.
  /// ``recordsOccurrences`` is the number of that one.
  package var hasRepeatedRecords: Bool {
    guard let plan, plan.hasContainer, envelopeParser.trace.hasRecords else { return false }
    return options.duplicateKeys == .last && planning.occurrence == nil && recordsOccurrences > 1
  }

  /// The error of a document without the container that the plan names.
  var missingContainer: JSONError {
    let container = plan?.framing == .keyed ? "object" : "array"
    let pointer = plan?.pointer ?? ""
    var reason =
      if pointer.isEmpty {
        "the document is no \(container)"
      } else if envelopeParser.trace.hasMisfit {
        "the value at \(pointer) is no \(container)"
      } else {
        "there is nothing at \(pointer)"
      }
    let seen = envelopeParser.trace.seen.entries.map { entry in
      "\(entry.pointer) (\(Self.size(entry.bytes)))"
    }
    if !seen.isEmpty { reason += "; the input has " + seen.joined(separator: ", ") }
    return located(
      TracingParser.Fault(kind: .shape, reason: reason, byteOffset: documentStart, pointer: ""),
      record: nil, prefix: "")
  }

  /// `812 B`, `5 MB`, `4.9 GB`, in powers of 1000.
  private static func size(_ bytes: Int) -> String {
    var (tenths, unit) = (bytes * 10, 0)
    let units = ["B", "kB", "MB", "GB", "TB"]
    while tenths >= 10_000, unit < units.count - 1 {
      tenths = (tenths + 500) / 1000
      unit += 1
    }
    let fraction = tenths % 10 == 0 ? "" : ".\(tenths % 10)"
    return "\(tenths / 10)\(fraction) \(units[unit])"
  }
}
