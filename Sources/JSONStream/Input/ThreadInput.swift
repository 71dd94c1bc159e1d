/// The bytes of an input as the thread that reads ahead gets them.
struct ThreadInput: ~Copyable {
  enum Outcome {
    case bytes(Int)
    /// Nothing is there yet, and the caller did not want to wait.
    case notReady
    case end
    /// Nobody wants the bytes any more.
    case stopped
  }

  let descriptor: InputDescriptor
  private let stop: StopSignal
  private var head: InputHead
  private var hasEnded = false
  /// Bytes handed over.
  private(set) var count = 0

  /// - Parameter head: what has been read of the input to find out its format.
  init(_ descriptor: InputDescriptor, head: InputHead, stop: StopSignal) {
    self.descriptor = descriptor
    self.head = head
    self.stop = stop
  }

  /// Finds out the format, waiting for bytes if need be; nil says stop.
  mutating func detectFormat() throws(JSONError) -> InputFormat? {
    while true {
      if let format = head.format { return format }
      if stop.isGiven { return nil }
      guard stop.isReady(descriptor, waits: true) else { continue }
      let count = try head.append { (space) throws(JSONError) in
        try descriptor.read(into: space)
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
    // A terminal can be read on after its end; an input cannot.
    if hasEnded { return .end }
    while true {
      if stop.isGiven { return .stopped }
      guard stop.isReady(descriptor, waits: waits) else {
        return stop.isGiven ? .stopped : .notReady
      }
      guard let count = try descriptor.read(into: space) else { continue }
      if count > 0 { return .bytes(count) }
      hasEnded = true
      return .end
    }
  }
}
