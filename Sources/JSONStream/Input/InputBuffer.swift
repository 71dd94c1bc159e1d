import CFeedScan

/// The window of the input that the parser can read. Bytes are appended at the end and discarded
/// at the front; a record that does not fit makes the window grow.
///
/// Offsets into the buffer count from `base`; absolute offsets count from the start of the input.
/// A window that was shared keeps its bytes: while another reference to its segment exists, bytes
/// move to another segment.
struct InputBuffer: ~Copyable {
  /// Bytes requested by one `read`. A larger chunk gains 2 % and costs cache.
  static let chunk = 1 << 20
  /// Remaining bytes up to this count cost nothing to move.
  private static let smallRest = 16 << 10
  private static let commonCapacity = chunk + (64 << 10)

  var window = InputWindow.empty
  /// How many bytes have passed input validation. The special bytes among them are known.
  private(set) var clean = 0
  private let kernel: feedscan_kernel
  // Counts among all bytes that input validation has accepted, including those discarded.
  private var newlines = 0
  private var continuations = 0
  // Continuation bytes among the discarded bytes.
  private var lostContinuations = 0
  // Segments of the common size, and those adopted from a ring, until no other reference to them
  // exists.
  private var own: [InputSegment] = []
  private var adopted: [InputSegment] = []

  init(kernel: feedscan_kernel) { self.kernel = kernel }

  var bytes: UnsafeMutablePointer<UInt8> { window.bytes }
  /// How many bytes are in the buffer.
  var count: Int { window.count }
  /// The absolute offset of the first of them.
  var base: Int { window.base }
  /// The absolute offset after the last byte.
  var end: Int { window.end }

  /// Makes space for at least one byte and at most a chunk, and lets `fill` write there. `fill`
  /// returns how many bytes it wrote.
  mutating func append<Failure: Error>(
    atMost limit: Int = chunk,
    _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    let wanted = min(limit, Self.chunk)
    makeSpace(for: wanted)
    let space = UnsafeMutableRawBufferPointer(start: bytes + count, count: wanted)
    let filled = try fill(space)
    window.count += filled
    return filled
  }

  /// Appends a segment that a thread has filled. Its bytes are not copied if the remaining bytes of
  /// the buffer fit in front of them.
  ///
  /// - Parameter recycle: takes back each segment that is no longer needed.
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
      makeSpace(for: segment.count)
      UnsafeMutableRawPointer(bytes + count).copyMemory(
        from: UnsafeRawPointer(segment.memory + segment.slack), byteCount: segment.count)
      window.count += segment.count
      recycle(segment)
    }
    recycleAdopted(recycle)
  }

  /// Returns the adopted segments to which no other reference exists.
  mutating func recycleAdopted(_ recycle: (InputSegment) -> Void) {
    // The window itself refers to its segment, so that one stays.
    for index in adopted.indices.reversed() where isKnownUniquelyReferenced(&adopted[index]) {
      recycle(adopted.remove(at: index))
    }
  }

  private mutating func makeSpace(for wanted: Int) {
    let hasSpace = window.segment.size - window.start - count >= wanted
    let isTidy = window.start < 256 << 10 || count > Self.smallRest
    let isHuge = window.segment.size > 4 * Self.chunk && count < Self.chunk
    if hasSpace && isTidy && !isHuge { return }
    // The next read starts at a page: the kernel copies up to 25 % slower to unaligned addresses.
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

  // The old segment stays in memory while a reader refers to it.
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

  /// Discards the first `length` bytes, which input validation has accepted.
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

  /// Validates at most `length` bytes after the clean ones.
  mutating func validate(_ length: Int) -> feedscan_verdict {
    let result = feedscan_validate(bytes + clean, min(length, count - clean), kernel)
    clean += result.clean
    findSpecials(from: clean - result.clean)
    newlines += result.newlines
    continuations += result.continuations
    return result.verdict
  }

  /// Overwrites the escape of a lone surrogate, which input validation has rejected, with U+FFFD.
  mutating func replaceSurrogate() {
    let escape: StaticString = #"\uFFFD"#
    escape.withUTF8Buffer { letters in
      for (index, letter) in letters.enumerated() { bytes[clean + index] = letter }
    }
    clean += escape.utf8CodeUnitCount
    findSpecials(from: clean - escape.utf8CodeUnitCount)
  }

  /// Validates, splits and marks at most `length` bytes in one pass. It starts after the clean
  /// bytes, where the splitter has stopped too. May stop anywhere, or not start at all.
  ///
  /// - Returns: how many marks were written.
  mutating func scan(
    _ length: Int, _ splitter: inout feedscan_splitter, forLines: Bool, _ marks: inout [UInt32]
  ) -> Int {
    // The scan reads the three bytes before the first one.
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

  /// Accepts the rest unvalidated: the end of the input has cut an escape, which YAJL will report.
  mutating func acceptRest() { acceptUnread(to: count) }

  /// Accepts bytes that are not read, without validation.
  mutating func acceptUnread(to end: Int) {
    let passed = window.text(clean..<end)
    newlines += LineCount.newlines(in: passed)
    continuations += LineCount.continuations(in: passed)
    let start = clean
    clean = end
    findSpecials(from: start)
  }
}
