/// Distributes the records of a document to its lanes and receives the results in order.
///
/// The calling thread is one of the lanes: it runs a job instead of waiting for one. It alone
/// validates small documents and huge records. The threads of the other lanes start with the first
/// job of full size.
final class LaneScheduler {
  /// Bytes that complete a job. A single lane gets a job for each slice, while the slice is in the
  /// cache.
  private let jobBytes: Int
  /// The maximum number of records of a job: each takes a row of the tape.
  private static let maximumJobRecords = 4096
  /// A longer job runs alone, because it needs several times its size in memory.
  private static let largeJob = 1 << 20
  /// The maximum bytes of the jobs in flight. A record of 1 MiB takes some 5 MB while it is in
  /// flight, so only few of them may be, for any number of lanes.
  private static let maximumBytesInFlight = 2 << 20

  private let makeLane: () -> Lane
  private let makeBatch: () -> any LaneBatch
  private let laneCount: Int
  private let jobLimit: Int
  private let shouldContinue: Bool
  private let ownLane: Lane
  private var pool: LanePool?
  // The job that is being filled, and the running ones, in order.
  private var open: LaneJob?
  private var running: [LaneJob] = []
  private var spare: [LaneJob] = []

  /// - Parameters:
  ///   - options: the number of lanes.
  ///   - shouldContinue: true to continue after a rejected record.
  ///   - makeLane: makes a lane for this document.
  ///   - makeBatch: makes an empty batch.
  init(
    _ options: JSONOptions, shouldContinue: Bool, makeLane: @escaping () -> Lane,
    makeBatch: @escaping () -> any LaneBatch
  ) {
    laneCount = options.laneCount
    jobLimit = Self.jobLimit(options)
    jobBytes = options.laneCount == 1 ? 1 : options.laneBytes
    self.shouldContinue = shouldContinue
    self.makeLane = makeLane
    self.makeBatch = makeBatch
    ownLane = makeLane()
  }

  /// The maximum number of jobs in flight: each lane runs one and has another one queued.
  static func jobLimit(_ options: JSONOptions) -> Int { 2 * options.laneCount }

  /// Adds records after all previous ones.
  ///
  /// - Parameters:
  ///   - bounds: their ranges in the window.
  ///   - firstRecord: the index of the first of them in the document.
  ///   - isJoined: true if one comma and white space separate them from the previous records.
  ///   - settle: handles a finished job.
  func add(
    _ bounds: ArraySlice<Range<Int>>, in window: InputWindow, firstRecord: Int, isJoined: Bool,
    settle: (LaneJob) throws(JSONError) -> Void
  ) throws(JSONError) {
    var bounds = bounds
    var first = firstRecord
    var isJoined = isJoined
    while !bounds.isEmpty {
      if let open, !isJoined || open.window.segment !== window.segment {
        try begin(open, settle)
      }
      let job = open ?? reusedJob(window, first)
      open = job
      let count = min(bounds.count, Self.maximumJobRecords - job.records.count)
      job.append(bounds.prefix(count), in: window)
      bounds = bounds.dropFirst(count)
      first += count
      isJoined = true
      if job.byteCount >= jobBytes || job.records.count >= Self.maximumJobRecords {
        try begin(job, settle)
      }
    }
  }

  /// Waits until every job has finished and is settled.
  func drain(settle: (LaneJob) throws(JSONError) -> Void) throws(JSONError) {
    if let open { try begin(open, settle) }
    while !running.isEmpty { try settleFirst(settle) }
  }

  /// Runs a waiting job on this thread. Returns false if none waits.
  func help() -> Bool { pool?.runNext(on: ownLane) ?? false }

  /// Runs the remaining records of a job on this thread.
  func runRest(of job: LaneJob) { job.run(on: ownLane) }

  private func reusedJob(_ window: InputWindow, _ firstRecord: Int) -> LaneJob {
    let job = spare.popLast() ?? LaneJob(window, batch: makeBatch())
    job.reuse(window, firstRecord: firstRecord)
    job.shouldContinue = shouldContinue
    return job
  }

  private func begin(
    _ job: LaneJob, _ settle: (LaneJob) throws(JSONError) -> Void
  ) throws(JSONError) {
    open = nil
    let isSmall = running.isEmpty && job.byteCount < jobBytes
    let isLarge = job.byteCount > Self.largeJob
    if laneCount == 1 || isSmall || isLarge {
      while !running.isEmpty { try settleFirst(settle) }
      job.run(on: ownLane)
      return try finish(job, settle)
    }
    while !canRun(job) { try settleFirst(settle) }
    // This thread is one of the lanes.
    let pool = self.pool ?? LanePool(laneCount: laneCount - 1, makeLane)
    self.pool = pool
    pool.submit(job)
    running.append(job)
  }

  private func canRun(_ job: LaneJob) -> Bool {
    guard !running.isEmpty else { return true }
    let bytes = running.reduce(job.byteCount) { bytes, running in bytes + running.byteCount }
    return running.count < jobLimit && bytes <= Self.maximumBytesInFlight
  }

  private func settleFirst(_ settle: (LaneJob) throws(JSONError) -> Void) throws(JSONError) {
    let job = running.removeFirst()
    pool?.wait(for: job, on: ownLane)
    try finish(job, settle)
  }

  private func finish(
    _ job: LaneJob, _ settle: (LaneJob) throws(JSONError) -> Void
  ) throws(JSONError) {
    do throws(JSONError) {
      try settle(job)
    } catch {
      // Records after an error do not count.
      open = nil
      running.removeAll()
      throw error
    }
    // Releases the bytes of the input until the job is used again.
    job.window = InputWindow.empty
    spare.append(job)
  }
}
