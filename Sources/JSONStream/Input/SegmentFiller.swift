/// Writes the decompressed bytes of an input into memory.
protocol SegmentFiller: ~Copyable {
  /// Fills `space` as far as possible without waiting, but waits for the first byte. Returns 0 at
  /// the end of the input, and nil if reading was stopped.
  mutating func fill(_ space: UnsafeMutableRawBufferPointer) throws(JSONError) -> Int?

  /// Bytes of the file that produced everything filled so far.
  var bytesTaken: Int { get }
}

/// Passes the bytes on unchanged.
struct PlainFiller: SegmentFiller, ~Copyable {
  private var input: ThreadInput

  init(_ input: consuming ThreadInput) { self.input = input }

  var bytesTaken: Int { input.count }

  mutating func fill(_ space: UnsafeMutableRawBufferPointer) throws(JSONError) -> Int? {
    var count = 0
    while count < space.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: space[count...])
      switch try input.read(into: rest, waits: count == 0) {
      case .bytes(let more): count += more
      case .notReady where count == 0: continue
      case .notReady, .end: return count
      case .stopped: return nil
      }
    }
    return count
  }
}
