import FeedCore
import FeedSchema
import FeedTools
import JSONStream

/// The last line of an ingest.
struct IngestSummary {
  let report: IngestReport
  let measures: IngestMeter.Measures
  /// The paths that were given as the key and as indexes.
  var givenPaths: [String] = []

  private var megabytesPerSecond: Double {
    Double(report.bytes) / 1e6 / max(measures.seconds, 1e-9)
  }

  /// `universities: 10,251 records, 312 MB/s, 0.01 s, peak memory 21.3 MB, generation 7`; after
  /// an append `2 records added, 10,253 in all, …`.
  var line: String {
    let isAppend = report.feed.recordCount != report.records
    let source = report.source.map { " from \($0)" } ?? ""
    var parts = [
      ReadableNumber.counted(report.records, "record") + (isAppend ? " added" : "") + source
    ]
    if isAppend { parts.append("\(ReadableNumber.grouped(report.feed.recordCount)) in all") }
    if report.rejected > 0 { parts.append("\(ReadableNumber.grouped(report.rejected)) rejected") }
    if report.unusableURLs > 0 {
      parts.append(ReadableNumber.counted(report.unusableURLs, "unusable URL"))
    }
    let speed = ReadableNumber.fixed(
      megabytesPerSecond, decimals: megabytesPerSecond < 10 ? 1 : 0)
    parts.append("\(speed) MB/s")
    parts.append("\(ReadableNumber.fixed(measures.seconds, decimals: 2)) s")
    parts.append("peak memory \(ReadableNumber.bytes(measures.peakMemoryBytes))")
    parts.append("generation \(report.feed.generation)")
    var line = "\(report.feed.name): " + parts.joined(separator: ", ")
    if let key = report.feed.keyText {
      line += "; key: \(key)"
    }
    // For documents, the kind is shown only if it is that of an app.
    if report.feed.schema?.document != nil, report.feed.presetName != nil {
      line += "; kind: \(report.feed.kind)"
    }
    return line
  }

  /// The warnings about the ingest, each for a separate line.
  var warnings: [String] {
    var warnings: [String] = []
    if !report.droppedKeys.isEmpty { warnings.append(droppedKeys) }
    if !report.misfits.isEmpty { warnings.append(misfits) }
    if let replacedKey { warnings.append(replacedKey) }
    warnings += absentPaths
    guard let other = report.otherRecords else { return warnings }
    return warnings + [
      "the records come from \(report.source ?? "the document"), but \(other.pointer) holds"
        + " \(ReadableNumber.bytes(other.bytes)); to use it, ingest again with --records"
        + " \(other.pointer.shellWord)"
    ]
  }

  /// The given paths that no record has.
  private var absentPaths: [String] {
    guard report.feed.recordCount > 0 else { return [] }
    return givenPaths.compactMap { text in
      guard text != DocumentForm.positionKey, text != DocumentForm.memberKey,
        let keys = try? PayloadSchema.path(ofText: text)
      else { return nil }
      return AbsentKey(in: [JSONPath(keys: keys)], of: report.feed)?.text
    }
  }

  /// Other commands find records by the key, so a changed one must not go unnoticed.
  private var replacedKey: String? {
    guard !report.replacedKey.isEmpty, let key = report.feed.keyText else { return nil }
    let old = QuotedList.text(ofPaths: report.replacedKey)
    return "the key of \(report.feed.name) was \(old) and is now \(key); to have the old one,"
      + " ingest again with --key \(old.shellWord)"
  }

  private var droppedKeys: String {
    let named = report.droppedKeys.prefix(5).map { key in
      let name = key.path.joined(separator: ".")
      return "\(name) (\(ReadableNumber.counted(key.records, "record")))"
    }
    let rest = report.droppedKeys.count - named.count
    let more = rest > 0 ? " and \(rest) more" : ""
    return "not stored, because \(report.feed.kind) does not name them: "
      + named.joined(separator: ", ") + more + "; use --kind json to store them"
  }

  private var misfits: String {
    let named = report.misfits.prefix(5).map { misfit in
      var place: [String] = []
      if let count = misfit.count { place.append(ReadableNumber.counted(count, "time")) }
      if let first = misfit.firstRecord {
        place.append("first: record \(ReadableNumber.grouped(first))")
      }
      return "\(misfit.path): expected \(misfit.expected), found \(misfit.found)"
        + (place.isEmpty ? "" : " (\(place.joined(separator: "; ")))")
    }
    let rest = report.misfits.count - named.count
    return "stored, but these do not fit the schema: " + named.joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more" : "")
  }

  /// The same as JSON.
  var json: JSONLine {
    var line = JSONLine()
    line.add("records", report.records)
    line.add("rejected", report.rejected)
    line.add("unusableURLs", report.unusableURLs)
    line.add("bytes", report.bytes)
    line.add("seconds", measures.seconds, decimals: 6)
    line.add("megabytesPerSecond", megabytesPerSecond, decimals: 3)
    line.add("peakMemoryBytes", measures.peakMemoryBytes)
    line.add("feed", report.feed.name.text)
    line.add("kind", report.feed.kind)
    line.add("generation", report.feed.generation)
    line.add("feedRecords", report.feed.recordCount)
    line.add("storedBytes", report.feed.storedBytes)
    if let plan = report.feed.schema?.document?.plan {
      line.add("framing", plan.framing.name)
      line.add("recordsPointer", plan.pointer)
      line.add("key", report.feed.keyText)
      if !report.replacedKey.isEmpty {
        line.add("replacedKey", QuotedList.text(ofPaths: report.replacedKey))
      }
      line.add(
        "misfits",
        report.misfits.map { misfit in
          var object = JSONLine()
          object.add("path", misfit.path)
          object.add("expected", misfit.expected)
          object.add("found", misfit.found)
          if let count = misfit.count { object.add("count", count) }
          if let first = misfit.firstRecord { object.add("firstRecord", first) }
          return object
        })
    }
    line.add(
      "droppedKeys",
      report.droppedKeys.map { key in
        var object = JSONLine()
        object.add("key", key.path.joined(separator: "."))
        object.add("records", key.records)
        return object
      })
    if let other = report.otherRecords {
      var object = JSONLine()
      object.add("pointer", other.pointer)
      object.add("bytes", other.bytes)
      line.add("otherRecords", object)
    }
    return line
  }
}

extension IngestReport {
  /// Where the records of documents were found, for people; nil for records of a contract.
  var source: String? {
    guard feed.schema?.document != nil, let plan = plan ?? feed.schema?.document?.plan else {
      return nil
    }
    switch plan.framing {
    case .lines: return "lines"
    case .concatenated: return "values"
    case .sequence: return "a JSON text sequence"
    case .single: return "the document"
    case .array, .keyed, .rows: return plan.path.isEmpty ? nil : plan.pointer
    }
  }
}

extension FeedDescription {
  /// The key of documents, for people; nil for records of a contract.
  var keyText: String? {
    schema.flatMap { $0.document == nil ? nil : QuotedList.text(ofPaths: $0.keyTexts) }
  }
}

/// Observes an ingest: draws its progress, and measures its memory and its time.
final class IngestMeter {
  private let began = ContinuousClock.now
  private let memory = MemoryWatch()
  private var line: TerminalProgress?

  /// - Parameters:
  ///   - totalBytes: the size of all files as stored; nil if unknown.
  ///   - isSilent: true to draw nothing, not even on a terminal.
  init(totalBytes: Int?, isSilent: Bool) {
    line = isSilent ? nil : TerminalProgress(totalBytes: totalBytes)
  }

  func update(_ progress: IngestProgress) {
    line?.update(
      bytes: progress.bytes, fileBytes: progress.fileBytes, records: progress.records,
      elapsed: ContinuousClock.now - began)
  }

  /// Removes the progress line and measures for the last time.
  func finish() -> Measures {
    line = nil
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    return Measures(seconds: seconds, peakMemoryBytes: memory.peak)
  }

  struct Measures {
    let seconds: Double
    let peakMemoryBytes: Int
  }
}
