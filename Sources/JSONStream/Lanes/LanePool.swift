import Threading

/// The threads that run jobs, each with its own lane, and the queue of waiting jobs.
///
/// Jobs start in the order in which they are added. The thread that adds jobs runs a waiting one
/// instead of waiting itself, so the number of busy threads never exceeds the number of lanes.
final class LanePool: Sendable {
  fileprivate struct Queue {
    var jobs: [LaneJob] = []
    var isFinishing = false
  }

  // Two monitors: a finished job does not wake the threads that wait for a new one.
  private let queue = Monitor(Queue())
  private let done = Monitor<Set<ObjectIdentifier>>([])
  private let threads: [WorkerThread]

  /// Starts a thread for each lane; fewer, or none, if the system cannot start them.
  init(laneCount: Int, _ makeLane: () -> Lane) {
    let (queue, done) = (queue, done)
    threads = (0..<laneCount).compactMap { _ in
      let passed = Passed(lane: makeLane())
      return WorkerThread { Self.run(queue, done, passed.lane) }
    }
  }

  // Moves a lane to its thread. The creator retains no reference, so only that thread uses it.
  private struct Passed: @unchecked Sendable { let lane: Lane }

  /// Waits for the running jobs; drops the waiting ones.
  deinit {
    queue.withLock { queue in
      queue.isFinishing = true
      queue.jobs.removeAll()
    }
    for thread in threads { thread.join() }
  }

  func submit(_ job: LaneJob) {
    queue.withLock { queue in queue.jobs.append(job) }
  }

  /// Returns once a job is done. Meanwhile runs waiting jobs on the caller's lane.
  func wait(for job: LaneJob, on lane: Lane) {
    let identifier = ObjectIdentifier(job)
    while done.withLock({ done in done.remove(identifier) }) == nil {
      guard runNext(on: lane) else {
        return done.wait { done in done.remove(identifier) == nil ? nil : () }
      }
    }
  }

  /// Runs a waiting job on the caller's lane. Returns false if none waits.
  func runNext(on lane: Lane) -> Bool {
    guard let job = queue.withLock({ queue in queue.takeFirst() }) else { return false }
    Self.run(job, done, lane)
    return true
  }

  private static func run(
    _ queue: Monitor<Queue>, _ done: Monitor<Set<ObjectIdentifier>>, _ lane: Lane
  ) {
    while let job = queue.wait(until: next) { run(job, done, lane) }
  }

  private static func run(
    _ job: LaneJob, _ done: Monitor<Set<ObjectIdentifier>>, _ lane: Lane
  ) {
    job.run(on: lane)
    done.withLock { done in _ = done.insert(ObjectIdentifier(job)) }
  }

  // Nil while no job waits; `.some(nil)` if no job will follow.
  private static func next(_ queue: inout Queue) -> LaneJob?? {
    if queue.isFinishing { return .some(nil) }
    return queue.takeFirst().map { .some($0) }
  }
}

extension LanePool.Queue {
  fileprivate mutating func takeFirst() -> LaneJob? {
    jobs.isEmpty ? nil : jobs.removeFirst()
  }
}
