/// Consecutive records that one lane validates: their ranges and the result.
///
/// Safety: the reader's thread creates and fills a job, one lane's thread runs it, and the
/// reader's thread settles it. The lock of the ``LanePool`` orders these steps.
final class LaneJob: @unchecked Sendable {
  /// Why a record was rejected.
  enum Issue {
    /// The lane has rejected it. If a list is too long, the value is the offset in the chunk of a
    /// byte of its first excess element.
    case refused(excessElementByte: Int?)
    /// Replay and YAJL had different results.
    case disagreement
    /// It is JSON that its batch has rejected.
    case fault(RecordFault)
  }

  /// The bytes of the records. They stay valid while this refers to their segment.
  var window: InputWindow
  /// The range of each record in the window.
  private(set) var records: [Range<Int>] = []
  /// The index of the first of them in its document.
  private(set) var firstRecord = 0
  /// The mapped records.
  let batch: any LaneBatch
  /// The index of the first record that has not been handled.
  private(set) var next = 0
  /// A rejected record, and how many mapped records precede it in the batch.
  struct Stop {
    var record: Int
    var issue: Issue
    var precedingCount: Int
  }

  /// The rejected records, in order.
  private(set) var stops: [Stop] = []
  /// How the lane has validated the records.
  private(set) var counts = ValidationCounts()
  /// True to continue after a rejected record.
  var shouldContinue = false

  init(_ window: InputWindow, batch: any LaneBatch) {
    self.window = window
    self.batch = batch
  }

  /// Bytes from the first record to the end of the last one.
  var byteCount: Int {
    guard let first = records.first, let last = records.last else { return 0 }
    return last.upperBound - first.lowerBound
  }

  /// Resets the job to the current bytes of a window.
  func reuse(_ window: InputWindow, firstRecord: Int) {
    self.window = window
    self.firstRecord = firstRecord
    records.removeAll(keepingCapacity: records.capacity <= 1 << 14)
    next = 0
    stops.removeAll()
    counts = ValidationCounts()
  }

  /// Adds records, given by their offsets in a later window of the same segment.
  func append(_ bounds: ArraySlice<Range<Int>>, in later: InputWindow) {
    let shift = later.base - window.base
    window.count = later.end - window.base
    guard shift > 0 else { return records.append(contentsOf: bounds) }
    records.append(
      contentsOf: bounds.lazy.map { $0.lowerBound + shift..<$0.upperBound + shift })
  }

  /// Validates and maps the records that have not been handled.
  func run(on lane: Lane) {
    stops.removeAll(keepingCapacity: true)
    defer { counts += lane.takeCounts() }
    while next < records.count {
      let valid = records.withUnsafeBufferPointer { records in
        lane.validate(window.scannedText, UnsafeBufferPointer(rebasing: records[next...]))
      }
      lane.withTape(from: firstRecord + next) { tape in map(tape) }
      lane.countOtherKeys()
      lane.clearTape()
      if !shouldContinue, !stops.isEmpty { return }
      next += valid
      guard next < records.count else { return }
      stop(
        next,
        lane.hasDisagreement
          ? .disagreement : .refused(excessElementByte: lane.excessElementByte))
      next += 1
      if !shouldContinue { return }
    }
  }

  private func map(_ tape: borrowing RecordTape) {
    var from = 0
    while from < tape.recordCount, let fault = batch.map(tape, from: from) {
      stop(next + fault.record, .fault(fault))
      from = fault.record + 1
      if !shouldContinue {
        next += from
        return
      }
    }
  }

  private func stop(_ record: Int, _ issue: Issue) {
    stops.append(Stop(record: record, issue: issue, precedingCount: batch.recordCount))
  }
}

/// How records were validated.
package struct ValidationCounts: Sendable, Hashable {
  /// Records that repeat what YAJL has accepted before.
  package var replayed = 0
  /// Records that YAJL has accepted and from which replay has learned new steps.
  package var learned = 0
  /// Other records that YAJL has accepted.
  package var judged = 0

  package init() {}

  static func += (counts: inout ValidationCounts, more: ValidationCounts) {
    counts.replayed += more.replayed
    counts.learned += more.learned
    counts.judged += more.judged
  }
}
