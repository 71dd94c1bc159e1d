/// Consecutive records that one lane validates: their positions and the outcome.
///
/// Safety: the reader's thread creates and fills a job, one lane's thread runs it, and the
/// reader's thread settles it. The lock of the ``LanePool`` orders these steps.
final class LaneJob: @unchecked Sendable {
  /// What stopped a record.
  enum Issue {
    /// The lane has refused it; for a list, with a byte of the first element too many.
    case refused(excessElementByte: Int?)
    /// Replay and YAJL differ on it.
    case disagreement
    /// It is JSON, and its batch has refused it.
    case fault(RecordFault)
  }

  /// The bytes that the records lie in. The segment keeps them while this refers to it.
  var window: InputWindow
  /// Where each record begins and ends in the window.
  private(set) var records: [Range<Int>] = []
  /// The index in its document of the first of them.
  private(set) var firstRecord = 0
  /// What its records were made into.
  let batch: any LaneBatch
  /// Records before this one have been dealt with.
  private(set) var next = 0
  /// A record that was stopped, and how many records its batch held then.
  struct Stop {
    var record: Int
    var issue: Issue
    var held: Int
  }

  /// The records that were stopped, in order.
  private(set) var stops: [Stop] = []
  /// How the lane has validated them.
  private(set) var counts = ValidationCounts()
  /// True if the records after a rejected one are still wanted.
  var goesOn = false

  init(_ window: InputWindow, batch: any LaneBatch) {
    self.window = window
    self.batch = batch
  }

  /// Bytes from the first record to the end of the last one.
  var byteCount: Int {
    guard let first = records.first, let last = records.last else { return 0 }
    return last.upperBound - first.lowerBound
  }

  /// Resets the job to the bytes that a window shows now.
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

  /// Validates and maps the records that have not been dealt with.
  func run(on lane: Lane) {
    stops.removeAll(keepingCapacity: true)
    defer { counts += lane.takeCounts() }
    while next < records.count {
      let valid = records.withUnsafeBufferPointer { records in
        lane.validate(window.scannedText, UnsafeBufferPointer(rebasing: records[next...]))
      }
      lane.withTape { tape in map(tape) }
      lane.clearTape()
      if !goesOn, !stops.isEmpty { return }
      next += valid
      guard next < records.count else { return }
      stop(
        next,
        lane.hasDisagreement
          ? .disagreement : .refused(excessElementByte: lane.excessElementByte))
      next += 1
      if !goesOn { return }
    }
  }

  private func map(_ tape: borrowing RecordTape) {
    var from = 0
    while from < tape.recordCount, let fault = batch.map(tape, from: from) {
      stop(next + fault.record, .fault(fault))
      from = fault.record + 1
      if !goesOn {
        next += from
        return
      }
    }
  }

  private func stop(_ record: Int, _ issue: Issue) {
    stops.append(Stop(record: record, issue: issue, held: batch.recordCount))
  }
}

/// How records were validated.
package struct ValidationCounts: Sendable, Hashable {
  /// Those that repeat what YAJL has accepted before.
  package var replayed = 0
  /// Those that YAJL has accepted and from which replay has learned something new.
  package var learned = 0
  /// The others that YAJL has accepted.
  package var judged = 0

  package init() {}

  static func += (counts: inout ValidationCounts, more: ValidationCounts) {
    counts.replayed += more.replayed
    counts.learned += more.learned
    counts.judged += more.judged
  }
}
