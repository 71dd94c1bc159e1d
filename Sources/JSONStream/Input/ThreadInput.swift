/// The input of the thread that reads ahead.
struct ThreadInput: ~Copyable {
  enum Outcome {
    case bytes(Int)
    /// Nothing has arrived, and the caller does not wait.
    case notReady
    case end
    /// Reading was stopped.
    case stopped
  }

  let source: InputSource
  private let stop: StopSignal
  private var head = InputHead()
  private var hasEnded = false
  /// Bytes returned so far.
  private(set) var count = 0

  init(_ source: InputSource, stop: StopSignal) {
    self.source = source
    self.stop = stop
  }

  /// Determines the format; waits for bytes if necessary. Returns nil if reading was stopped.
  mutating func detectFormat() throws(JSONError) -> InputFormat? {
    if let format = source.format { return format }
    while true {
      if let format = head.format { return format }
      if stop.isGiven { return nil }
      guard stop.isReady(source, waits: true) else { continue }
      let count = try head.append { (space) throws(JSONError) in
        try source.read(into: space)
      }
      if count == 0 { hasEnded = true }
    }
  }

  /// Reads once into `space`, which is not empty.
  mutating func read(
    into space: UnsafeMutableRawBufferPointer, waits: Bool
  ) throws(JSONError) -> Outcome {
    if !head.bytes.isEmpty {
      let bytes = head.takeBytes(atMost: space.count)
      space.copyBytes(from: bytes)
      count += bytes.count
      return .bytes(bytes.count)
    }
    let outcome = try readNext(into: space, waits: waits)
    if case .bytes(let more) = outcome { count += more }
    return outcome
  }

  private mutating func readNext(
    into space: UnsafeMutableRawBufferPointer, waits: Bool
  ) throws(JSONError) -> Outcome {
    // A terminal can deliver bytes after its end; an input has only one end.
    if hasEnded { return .end }
    while true {
      if stop.isGiven { return .stopped }
      guard stop.isReady(source, waits: waits) else {
        return stop.isGiven ? .stopped : .notReady
      }
      guard let count = try source.read(into: space) else { continue }
      if count > 0 { return .bytes(count) }
      hasEnded = true
      return .end
    }
  }
}
