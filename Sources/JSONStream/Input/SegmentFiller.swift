/// Puts the bytes of an input, as the parser is to see them, into memory.
protocol SegmentFiller: ~Copyable {
  /// Fills `space`, or as much of it as can be filled without waiting for somebody else's bytes;
  /// waits for the first one. 0 says that the input has ended, nil that nobody wants more.
  mutating func fill(_ space: UnsafeMutableRawBufferPointer) throws(JSONError) -> Int?

  /// Bytes of the file that led to everything filled so far.
  var bytesTaken: Int { get }
}

/// Hands over the bytes as they are.
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
