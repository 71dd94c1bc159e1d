// What a planned document has shown at its end.
extension RecordReader {
  /// The larger container next to the records, at the end of a document of which most bytes are
  /// outside its records. Nil if the plan was right.
  package var betterPlan: (path: [String], bytes: Int, isArray: Bool)? {
    guard let plan, plan.hasContainer,
      let largest = envelopeParser.trace.seen.entries.first(where: \.looksLikeRecords)
    else { return nil }
    let records = planning.records.count
    guard buffer.end - documentStart - records > records, largest.bytes > records else {
      return nil
    }
    let path = largest.path.map { String(decoding: $0, as: UTF8.self) }
    return (path, largest.bytes, largest.isArray)
  }

  /// How many containers have the path of the records, up to here.
  package var recordsOccurrences: Int { envelopeParser.trace.occurrences }

  /// True if containers with the path of the records followed these, and the last one counts.
  /// ``recordsOccurrences`` is its number.
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
