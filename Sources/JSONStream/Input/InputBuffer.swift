import CFeedScan

/// The window of the input that the parser can still see: bytes move in at the end and out at
/// the front, and a record that does not fit makes the window grow.
///
/// Offsets into the buffer are plain integers from `base`; absolute offsets count from the start
/// of the input. A window once shown keeps its bytes: while somebody else refers to its segment,
/// bytes move on to another one.
struct InputBuffer: ~Copyable {
  /// Bytes asked of one `read`. More buys 2 % and costs cache.
  static let chunk = 1 << 20
  /// Bytes left over that cost nothing to move.
  private static let smallRest = 16 << 10
  private static let commonCapacity = chunk + (64 << 10)

  var window = InputWindow.empty
  /// How many bytes have passed input validation. The special bytes among them are known.
  private(set) var clean = 0
  private let kernel: feedscan_kernel
  // Among all bytes the gate has passed, those that have left the buffer included.
  private var newlines = 0
  private var continuations = 0
  // Continuation bytes among those that have left the buffer.
  private var lostContinuations = 0
  // Segments of the common size, and those taken from a ring, until nobody else refers to them.
  private var own: [InputSegment] = []
  private var adopted: [InputSegment] = []

  init(kernel: feedscan_kernel) { self.kernel = kernel }

  var bytes: UnsafeMutablePointer<UInt8> { window.bytes }
  /// How many bytes are in the buffer.
  var count: Int { window.count }
  /// The absolute offset of the first of them.
  var base: Int { window.base }
  /// The absolute offset behind the last byte.
  var end: Int { window.end }

  /// Makes room for at least one more byte and at most a chunk, and lets `fill` write there.
  /// `fill` returns how many bytes it wrote.
  mutating func append<Failure: Error>(
    atMost limit: Int = chunk,
    _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    let wanted = min(limit, Self.chunk)
    makeRoom(for: wanted)
    let space = UnsafeMutableRawBufferPointer(start: bytes + count, count: wanted)
    let filled = try fill(space)
    window.count += filled
    return filled
  }

  /// Appends a segment that a thread has filled; without a copy, where the bytes left over fit in
  /// front of its own.
  ///
  /// - Parameter recycle: takes back each segment that is not needed any more.
  mutating func adopt(_ segment: InputSegment, recycle: (InputSegment) -> Void) {
    if count <= segment.slack {
      let start = segment.slack - count
      (segment.memory + start).update(from: bytes, count: count)
      replaceSegment(by: segment)
      window.start = start
      findSpecials(from: 0)
      window.count += segment.count
      adopted.append(segment)
    } else {
      makeRoom(for: segment.count)
      UnsafeMutableRawPointer(bytes + count).copyMemory(
        from: UnsafeRawPointer(segment.memory + segment.slack), byteCount: segment.count)
      window.count += segment.count
      recycle(segment)
    }
    recycleAdopted(recycle)
  }

  /// Gives back the segments that were adopted and that nobody refers to any more.
  mutating func recycleAdopted(_ recycle: (InputSegment) -> Void) {
    // The window refers to its own.
    for index in adopted.indices.reversed() where isKnownUniquelyReferenced(&adopted[index]) {
      recycle(adopted.remove(at: index))
    }
  }

  private mutating func makeRoom(for wanted: Int) {
    let hasRoom = window.segment.size - window.start - count >= wanted
    let isTidy = window.start < 256 << 10 || count > Self.smallRest
    let isHuge = window.segment.size > 4 * Self.chunk && count < Self.chunk
    if hasRoom && isTidy && !isHuge { return }
    // What is read next begins a page: the kernel copies up to a quarter slower to odd places.
    let page = InputSegment.pageSize
    let start = (count + page - 1) / page * page - count
    let needed = start + count + wanted
    if needed <= window.segment.size, !isHuge, isKnownUniquelyReferenced(&window.segment) {
      (window.segment.memory + start).update(from: bytes, count: count)
    } else {
      let other = segment(holding: needed)
      (other.memory + start).update(from: bytes, count: count)
      replaceSegment(by: other)
    }
    window.start = start
    findSpecials(from: 0)
  }

  /// Finds the special bytes from an offset to the end of the clean ones.
  private func findSpecials(from offset: Int) {
    feedscan_find_specials(bytes, offset, clean, window.segment.specials, window.start, kernel)
  }

  // The rest of the old segment's life is up to those who still read it.
  private mutating func replaceSegment(by successor: InputSegment) {
    if window.segment.size == Self.commonCapacity { own.append(window.segment) }
    window.segment = successor
  }

  private mutating func segment(holding needed: Int) -> InputSegment {
    guard needed <= Self.commonCapacity else {
      return InputSegment(capacity: max(needed, min(2 * count, count + 4 * Self.chunk)))
    }
    for index in own.indices where isKnownUniquelyReferenced(&own[index]) {
      return own.remove(at: index)
    }
    return InputSegment(capacity: Self.commonCapacity)
  }

  /// Drops the first `length` bytes, which the gate has passed.
  mutating func discard(_ length: Int) {
    guard length > 0 else { return }
    let rest = window.text(length..<clean)
    var lines = window.lines
    let lost = continuations - LineCount.continuations(in: rest)
    let lostNewlines = newlines - LineCount.newlines(in: rest)
    if lostNewlines > lines.newlines, let last = window.text(0..<length).lastIndex(of: 0x0A) {
      lines.newlines = lostNewlines
      lines.lineStart = base + last + 1
      lines.continuations = LineCount.continuations(in: window.text(last + 1..<length))
    } else {
      lines.continuations += lost - lostContinuations
    }
    lostContinuations = lost
    window.start += length
    window.count -= length
    window.base += length
    window.lines = lines
    clean -= length
  }

  /// Shows the gate at most `length` bytes that it has not passed yet.
  mutating func validate(_ length: Int) -> feedscan_verdict {
    let result = feedscan_validate(bytes + clean, min(length, count - clean), kernel)
    clean += result.clean
    findSpecials(from: clean - result.clean)
    newlines += result.newlines
    continuations += result.continuations
    return result.verdict
  }

  /// Writes U+FFFD over the escape of half a surrogate pair, which the gate has refused.
  mutating func replaceSurrogate() {
    let escape: StaticString = #"\uFFFD"#
    escape.withUTF8Buffer { letters in
      for (index, letter) in letters.enumerated() { bytes[clean + index] = letter }
    }
    clean += escape.utf8CodeUnitCount
    findSpecials(from: clean - escape.utf8CodeUnitCount)
  }

  /// Validates, splits and marks at most `length` bytes in one pass, from the end of the clean
  /// bytes on, where the splitter stands too. May stop anywhere, or not begin at all.
  ///
  /// - Returns: how many marks were written.
  mutating func scan(
    _ length: Int, _ splitter: inout feedscan_splitter, forLines: Bool, _ marks: inout [UInt32]
  ) -> Int {
    // The three bytes before the first are read.
    guard window.start + clean >= 3 else { return 0 }
    let end = clean + min(length, count - clean)
    let result = marks.withUnsafeMutableBufferPointer { marks in
      feedscan_scan(
        &splitter, bytes, clean, end, marks.baseAddress, marks.count, window.segment.specials,
        window.start, forLines, kernel)
    }
    clean = result.stopped
    newlines += result.newlines
    continuations += result.continuations
    return result.marks
  }

  /// Passes the rest unseen: the end of the input has cut an escape, which YAJL will find.
  mutating func passRest() { passUnseen(to: count) }

  /// Passes bytes that nobody will read.
  mutating func passUnseen(to end: Int) {
    let passed = window.text(clean..<end)
    newlines += LineCount.newlines(in: passed)
    continuations += LineCount.continuations(in: passed)
    let start = clean
    clean = end
    findSpecials(from: start)
  }
}
