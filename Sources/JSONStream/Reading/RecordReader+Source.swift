extension RecordReader {
  /// Reads a source to its end. A thread of its own reads ahead.
  ///
  /// - Parameter progress: called once a chunk, and about every 50 ms while nothing comes, with
  ///   the bytes read so far; throws to stop.
  package func read(
    from source: borrowing InputSource, progress: (Int) throws(JSONError) -> Void
  ) throws(JSONError) {
    try read(from: source.readAhead(limit: segmentLimit), progress: progress)
    try finish()
  }

  private func read(
    from ahead: ReadAhead, progress: (Int) throws(JSONError) -> Void
  ) throws(JSONError) {
    while true {
      switch try nextArrival(of: ahead) {
      case .end: return
      case .nothingYet:
        // While the input keeps us waiting nobody waits for a job to be filled; and should the
        // jobs have had all segments of the ring, it goes round again.
        try drain()
        buffer.recycleAdopted { ahead.recycle($0) }
      case .segment(let segment):
        buffer.adopt(segment) { ahead.recycle($0) }
        try advance(isFinal: false)
      }
      try progress(buffer.end)
    }
  }

  // What was read before the reading failed is looked at first: it may have an error of its own.
  private func nextArrival(of ahead: ReadAhead) throws(JSONError) -> ReadAhead.Arrival {
    // An input that is slow to come leaves this thread to the lanes.
    while !ahead.isReady, let lanes, lanes.help() {}
    do throws(JSONError) {
      return try ahead.next()
    } catch {
      try drain()
      throw error
    }
  }

  // Each job under way may keep a segment of its own; beyond those one is read, and others are
  // filled or wait.
  private var segmentLimit: Int { 4 + LaneQueue.jobLimit(options) }
}
