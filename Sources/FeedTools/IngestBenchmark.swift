import CFeedTools
import FeedRecord
import FeedStorage
import LMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Measures the ingest of a file against the slower of two necessary steps: validating the file,
/// and writing as many bytes to the disk as the store grows.
package struct IngestBenchmark {
  package struct Result: Sendable {
    /// The ingest against the slower of the two steps, in each round.
    package var ingest = Contest()
    /// The ingest against a lower bound, in each round. The bound is the larger of the ingest's
    /// processor time divided by the number of processors, and the time of `write` and `fsync`.
    package var bound = Contest()
    /// Seconds of processor time of the ingest in the best round.
    package var processorTime = Double.infinity
    /// Seconds from the last bytes read to the published feed, in the best round.
    package var afterReading = Double.infinity
    /// Seconds to validate the file with all lanes without storing anything, in the best round.
    package var check = Double.infinity
    /// Seconds of `write` and `fsync`, in the best round.
    package var write = Double.infinity
    package var kind = ""
    package var records = 0
    package var bytes = 0
    /// The growth of the store's data file in bytes.
    package var grownBytes = 0
    /// The bytes of the feed's blocks and its index.
    package var storedBytes = 0
    /// The bytes of its values alone: texts, elements of lists, and 1, 8 or 16 for a fixed value.
    package var bareBytes = 0
  }

  private let path: String
  private let rounds: Int

  package init(path: String, rounds: Int = 7) {
    self.path = path
    self.rounds = rounds
  }

  /// Runs all rounds; each ingest uses its own store.
  ///
  /// - Parameter isCancelled: called between and within rounds; true ends the run with an error.
  package func run(isCancelled: @escaping () -> Bool = { false }) throws -> Result {
    var result = Result()
    for round in 0..<rounds {
      if isCancelled() { throw StoreError(.cancelled, "the measurement was cancelled") }
      let check = try measureCheck()
      // The second writer reuses pages that the first has freed, so the order alternates.
      let isFirst = round.isMultiple(of: 2)
      var ingest = isFirst ? try measureIngest(&result, isCancelled) : (elapsed: 0, processor: 0)
      let write = try measureWrite(result.grownBytes)
      if !isFirst { ingest = try measureIngest(&result, isCancelled) }
      result.ingest.add(ours: ingest.elapsed, peer: max(check, write))
      result.bound.add(
        ours: ingest.elapsed, peer: max(ingest.processor / Self.processors, write))
      result.processorTime = min(result.processorTime, ingest.processor)
      result.check = min(result.check, check)
      result.write = min(result.write, write)
    }
    return result
  }

  private static let processors = Double(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1))

  private func measureIngest(
    _ result: inout Result, _ isCancelled: @escaping () -> Bool
  ) throws -> (elapsed: Double, processor: Double) {
    let store = try TemporaryStore()
    let before = try store.database.statistics().fileBytes
    let start = ContinuousClock.now
    var lastRead = start
    let (report, processor) = try ProcessTime.measure {
      try store.database.ingest(
        [path], isCancelled: isCancelled, progress: { _ in lastRead = .now })
    }
    let seconds = ParseBenchmark.seconds(since: start)
    result.afterReading = min(result.afterReading, ParseBenchmark.seconds(since: lastRead))
    guard result.records == 0 else { return (seconds, processor) }
    result.grownBytes = try store.database.statistics().fileBytes - before
    result.kind = report.feed.kind
    result.records = report.records
    result.bytes = report.bytes
    result.storedBytes = report.feed.storedBytes
    result.bareBytes = try Self.bareBytes(of: report.feed, in: store.database)
    return (seconds, processor)
  }

  private func measureCheck() throws -> Double {
    let start = ContinuousClock.now
    if let error = CheckReport(ofPayload: path).error { throw error }
    return ParseBenchmark.seconds(since: start)
  }

  private func measureWrite(_ count: Int) throws(StoreError) -> Double {
    // Provides a directory, which is removed with it.
    let store = try TemporaryStore()
    let file = store.directory + "/written"
    let start = ContinuousClock.now
    let code = feedpeer_write_and_sync(file, count)
    let seconds = ParseBenchmark.seconds(since: start)
    guard code == 0 else {
      throw StoreError(
        .ioError, "the peer cannot write: \(String(cString: feedpeer_message(code)))", path: file)
    }
    return seconds
  }

  // MARK: Bytes of the values

  private static func bareBytes(
    of feed: FeedDescription, in database: FeedDatabase
  ) throws(StoreError) -> Int {
    let fields = feed.layout.fields.compactMap { field in
      feed.layout.location(of: field.id).map { (type: field.type, location: $0) }
    }
    var count = 0
    try database.existingFeed(named: feed.name).scan { record, _ throws(StoreError) in
      do throws(RecordError) {
        for field in fields where record.isPresent(field.location) {
          count += try bareBytes(of: field.type, at: field.location, in: record)
        }
      } catch {
        throw StoreError(.damaged, error.message)
      }
      return true
    }
    return count
  }

  private static func bareBytes(
    of type: FieldType, at location: FieldLocation, in record: RecordView
  ) throws(RecordError) -> Int {
    switch type {
    case .text: return try record.rawText(location)?.byteCount ?? 0
    case .textList:
      guard let list = try record.textList(location) else { return 0 }
      var count = 0
      for index in 0..<list.count { count += try list.rawElement(at: index).byteCount }
      return count
    case .uuid: return 16
    case .boolean: return 1
    default: return 8
    }
  }
}
