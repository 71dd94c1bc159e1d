import Threading

/// The threads that run jobs, each with a lane of its own. Jobs are begun in the order in which
/// they come; whoever gives them waits for each.
final class LanePool: Sendable {
  private struct State {
    var waiting: [LaneJob] = []
    var done: Set<ObjectIdentifier> = []
    var isFinishing = false
  }

  private let state = Monitor(State())
  private let threads: [WorkerThread]

  /// Starts a thread for each lane; fewer where the system has none to give, which may be none.
  init(laneCount: Int, _ makeLane: () -> Lane) {
    let state = state
    threads = (0..<laneCount).compactMap { _ in
      // Made here, and from here on used by its thread alone.
      let passed = Passed(lane: makeLane())
      return WorkerThread { Self.run(state, passed.lane) }
    }
  }

  private struct Passed: @unchecked Sendable { let lane: Lane }

  /// Lets the threads finish the jobs that they have begun, and no others.
  deinit {
    state.withLock { state in
      state.isFinishing = true
      state.waiting.removeAll()
    }
    for thread in threads { thread.join() }
  }

  var isEmpty: Bool { threads.isEmpty }

  func submit(_ job: LaneJob) {
    state.withLock { state in state.waiting.append(job) }
  }

  /// Waits until a job is done.
  func wait(for job: LaneJob) {
    let identifier = ObjectIdentifier(job)
    state.wait { (state: inout State) in
      state.done.remove(identifier) == nil ? nil : ()
    }
  }

  private static func run(_ state: Monitor<State>, _ lane: Lane) {
    while let job = state.wait(until: next) {
      job.run(on: lane)
      state.withLock { state in _ = state.done.insert(ObjectIdentifier(job)) }
    }
  }

  // Nothing while there is nothing to do; nil in it when there will be no more.
  private static func next(_ state: inout State) -> LaneJob?? {
    if state.isFinishing { return .some(nil) }
    return state.waiting.isEmpty ? nil : .some(state.waiting.removeFirst())
  }
}
