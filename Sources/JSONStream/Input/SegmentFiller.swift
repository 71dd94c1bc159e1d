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

/// Inflates an input directly into the caller's memory.
///
/// Bytes inflated before a fault are returned first. So the earlier fault is reported, whether it
/// lies in the text or in its compression.
struct InflatingFiller: SegmentFiller, ~Copyable {
  /// Compressed bytes requested by one `read`.
  private static var chunk: Int { 256 << 10 }

  private var input: ThreadInput
  private let decoder: any StreamDecoder
  private let buffer: UnsafeMutableRawBufferPointer
  /// The bytes in the buffer that the decoder has not consumed.
  private var rest: UnsafeRawBufferPointer
  private var failure: JSONError?

  init(
    _ input: consuming ThreadInput, _ makeDecoder: () throws(DecodingFault) -> any StreamDecoder
  ) throws(JSONError) {
    do throws(DecodingFault) {
      decoder = try makeDecoder()
    } catch {
      throw error.described(input.source, at: 0)
    }
    self.input = input
    buffer = .allocate(byteCount: Self.chunk, alignment: 16)
    rest = UnsafeRawBufferPointer(start: buffer.baseAddress, count: 0)
  }

  deinit { buffer.deallocate() }

  var bytesTaken: Int { input.count - rest.count }

  mutating func fill(_ space: UnsafeMutableRawBufferPointer) throws(JSONError) -> Int? {
    if let failure { throw failure }
    var free = space
    do throws(JSONError) {
      while !free.isEmpty {
        if try inflate(into: &free) { continue }
        switch try input.read(into: buffer, waits: free.count == space.count) {
        case .bytes(let count):
          rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
        case .notReady where free.count == space.count: continue
        case .notReady: return space.count - free.count
        case .end:
          try finish()
          return space.count - free.count
        case .stopped: return nil
        }
      }
    } catch {
      guard free.count < space.count else { throw error }
      failure = error
    }
    return space.count - free.count
  }

  /// Continues decoding; false if the decoder needs more input.
  private mutating func inflate(
    into free: inout UnsafeMutableRawBufferPointer
  ) throws(JSONError) -> Bool {
    let before = (rest.count, free.count)
    do throws(DecodingFault) {
      try decoder.decode(&rest, into: &free)
    } catch {
      throw error.described(input.source, at: bytesTaken)
    }
    return before != (rest.count, free.count)
  }

  private mutating func finish() throws(JSONError) {
    do throws(DecodingFault) {
      try decoder.finish()
    } catch {
      throw error.described(input.source, at: bytesTaken)
    }
  }
}
