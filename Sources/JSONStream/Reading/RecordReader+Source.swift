extension RecordReader {
  /// Reads a source to its end. A separate thread reads ahead.
  ///
  /// - Parameter progress: receives the bytes read so far, and the bytes of the file that they
  ///   come from. Called once a chunk and about every 50 ms while no input arrives; throws to stop.
  /// - Returns: the bytes of the file.
  @discardableResult
  package func read(
    from source: InputSource,
    progress: (_ bytes: Int, _ fileBytes: Int) throws(JSONError) -> Void = { _, _ in }
  ) throws(JSONError) -> Int {
    let ahead = try source.readAhead(limit: segmentLimit)
    while true {
      switch try nextArrival(of: ahead) {
      case .end:
        try finish()
        return ahead.bytesTaken
      case .nothingYet:
        // While no input arrives, partial jobs run. This also returns segments to the ring if the
        // jobs refer to all of them.
        try drain()
        buffer.recycleAdopted { ahead.recycle($0) }
      case .segment(let segment):
        buffer.adopt(segment) { ahead.recycle($0) }
        try advance(isFinal: false)
      }
      try progress(buffer.end, ahead.bytesTaken)
    }
  }

  // The bytes before a failure are validated first: they may have an earlier error.
  private func nextArrival(of ahead: ReadAhead) throws(JSONError) -> ReadAhead.Arrival {
    // While the input is slow, this thread runs jobs.
    while !ahead.isReady, let lanes, lanes.help() {}
    do throws(JSONError) {
      return try ahead.next()
    } catch {
      try drain()
      throw error
    }
  }

  // Each job in flight may refer to a segment. In addition, one is being read, and others are being
  // filled or wait.
  private var segmentLimit: Int { 4 + LaneScheduler.jobLimit(options) }
}
