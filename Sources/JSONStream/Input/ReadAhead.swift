import Threading

/// Reads an input on its own thread, and inflates it there if it is compressed. The bytes fill a
/// bounded ring of segments, which are passed on without copying.
///
/// One thread at a time calls ``next()``; any thread may recycle a segment. `deinit` stops the
/// reading thread at any point and waits for it, so nothing is read after that. A consumer that
/// keeps all segments of the ring gets no more.
package final class ReadAhead: Sendable {
  /// What ``ReadAhead/next()`` returns.
  package enum Arrival: Sendable {
    /// Bytes, at least one.
    case segment(InputSegment)
    /// Nothing for about 50 ms. The consumer can check for cancellation before it calls again.
    case nothingYet
    case end
  }

  /// Bytes of input in a segment. With more, the lanes start later and more memory is touched. With
  /// half of it, passing segments between threads takes 2 % of a lane's time.
  package static let segmentBytes = 512 << 10
  /// Segments in the ring by default: one in use at either end, two waiting.
  package static let segmentLimit = 4
  /// The space in front of each segment's bytes. A multiple of the page size keeps them
  /// page-aligned.
  private static let slack = (64 << 10) + 4096

  private let ring: SegmentRing
  private let stop: StopSignal
  private let thread: WorkerThread

  init(_ source: InputSource, limit: Int) throws(JSONError) {
    let ring = SegmentRing(slack: Self.slack, capacity: Self.segmentBytes, limit: limit)
    let stop = try StopSignal(for: source)
    let thread = WorkerThread {
      do throws(JSONError) {
        try Self.fill(ring, from: ThreadInput(source, stop: stop))
      } catch {
        ring.fail(error)
      }
    }
    guard let thread else {
      throw JSONError(
        .inputOutput, "reading failed: no thread can be started", file: source.name)
    }
    self.ring = ring
    self.stop = stop
    self.thread = thread
  }

  deinit {
    ring.stop()
    stop.give()
    thread.join()
  }

  /// Returns the next segment, in the order of the input. Recycle it after reading it.
  ///
  /// - Throws: the error that stopped the thread, after all segments that it has filled.
  package func next() throws(JSONError) -> Arrival { try ring.next() }

  /// True if ``next()`` would return at once.
  package var isReady: Bool { ring.isReady }

  /// Returns a segment to the ring; its bytes must no longer be in use.
  package func recycle(_ segment: InputSegment) { ring.recycle(segment) }

  /// Bytes of the file that produced the segments returned so far: compressed bytes, if the file is
  /// compressed.
  package var bytesTaken: Int { ring.bytesTaken }

  private static func fill(
    _ ring: SegmentRing, from input: consuming ThreadInput
  ) throws(JSONError) {
    switch try input.detectFormat() {
    case .plain: try fill(ring, by: PlainFiller(input))
    case .gzip:
      let name = input.source.name
      try fill(ring, by: InflatingFiller(input, GzipDecoder.init), contentOf: name)
    case .zstd:
      let name = input.source.name
      try fill(ring, by: InflatingFiller(input, ZstdDecoder.init), contentOf: name)
    case .foreign(let format): throw format.error(named: input.source.name)
    case nil: return
    }
  }

  /// - Parameter packed: the name of a compressed input, whose content may have a foreign format
  private static func fill<Filler: SegmentFiller & ~Copyable>(
    _ ring: SegmentRing, by filler: consuming Filler, contentOf packed: String? = nil
  ) throws(JSONError) {
    var packed = packed
    while let segment = ring.emptySegment() {
      guard let count = try filler.fill(segment.space) else { return }
      guard count > 0 else { return ring.end(bytesTaken: filler.bytesTaken) }
      if let name = packed.take() {
        let content = UnsafeRawBufferPointer(rebasing: segment.space[..<count])
        if let format = ForeignFormat.ofContent(content) {
          throw format.error(named: name, isInside: true)
        }
      }
      segment.count = count
      segment.bytesTaken = filler.bytesTaken
      ring.put(segment)
    }
  }
}
