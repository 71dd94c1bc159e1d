/// A file, a pipe or standard input, opened for reading and closed at the end of its lifetime.
///
/// The first bytes determine whether the input is compressed by gzip or zstd. A separate thread
/// inflates it; plain input needs no thread unless ``readAhead(slack:limit:)`` is called. A source
/// is used by one thread.
package struct InputSource: ~Copyable {
  /// The length of the content in bytes, if known in advance. Nil for a pipe and for a compressed
  /// file.
  package let byteCount: Int?
  /// The length of the file on the disk, if known in advance.
  package let fileByteCount: Int?

  private let descriptor: InputDescriptor
  private let progress: Progress

  /// The state that changes while the source is read.
  private final class Progress {
    var head = InputHead()
    var hasEnded = false
    var bytesTaken = 0
    var ahead: ReadAhead?
    /// The segment that ``InputSource/read(into:)`` copies from, and the offset reached in it.
    var current: (segment: InputSegment, offset: Int)?
  }

  /// Opens a file; `-` is standard input.
  package init(_ path: String) throws(JSONError) { self.init(try InputDescriptor(path)) }

  /// Reads the caller's descriptor, from its position to its end.
  ///
  /// - Parameter name: its name in errors.
  package init(descriptor: CInt, name: String) throws(JSONError) {
    self.init(try InputDescriptor(copyOf: descriptor, name: name))
  }

  private init(_ descriptor: InputDescriptor) {
    self.descriptor = descriptor
    fileByteCount = descriptor.length
    progress = Progress()
    var isCompressed = false
    if descriptor.length != nil {
      var head = InputHead()
      head.append(descriptor.peek(InputHead.longest))
      if head.format == nil { head.append([]) }
      isCompressed = head.format != .plain
      // Peeking does not move the position: these bytes are read again.
      _ = head.takeBytes(atMost: InputHead.longest)
      progress.head = head
    }
    byteCount = isCompressed ? nil : descriptor.length
  }

  /// Its name in errors.
  package var name: String { descriptor.name }

  /// Bytes of the file consumed so far: compressed bytes, if the file is compressed. Bytes read
  /// ahead count once their content has been returned.
  package var bytesTaken: Int { progress.ahead?.bytesTaken ?? progress.bytesTaken }

  /// Starts a thread that reads ahead from the current position.
  ///
  /// Call this once, before the first ``read(into:)``, which then reads from that thread too.
  ///
  /// - Parameters:
  ///   - slack: the space in front of each segment's bytes; a multiple of the page size keeps the
  ///     bytes page-aligned.
  ///   - limit: segments in the ring.
  package func readAhead(
    slack: Int = (64 << 10) + 4096, limit: Int = ReadAhead.segmentLimit
  ) throws(JSONError) -> ReadAhead {
    if let ahead = progress.ahead { return ahead }
    let ahead = try ReadAhead(descriptor, head: progress.head, slack: slack, limit: limit)
    progress.ahead = ahead
    return ahead
  }

  /// Reads into `space`, which is not empty. Returns 0 at the end of the input. Returns nil without
  /// data, so that the caller can check for cancellation.
  func read(into space: UnsafeMutableRawBufferPointer) throws(JSONError) -> Int? {
    if let ahead = progress.ahead { return try copy(from: ahead, into: space) }
    guard let format = try detectFormat() else { return nil }
    if format != .plain { return try copy(from: readAhead(slack: 0), into: space) }
    if !progress.head.bytes.isEmpty { return takeHead(into: space) }
    // A terminal can deliver bytes after its end; an input has only one end.
    if progress.hasEnded { return 0 }
    guard descriptor.waitBriefly(), let count = try descriptor.read(into: space) else { return nil }
    progress.hasEnded = count == 0
    progress.bytesTaken += count
    return count
  }

  /// Reads as many bytes as determine the format; nil if they have not arrived.
  private func detectFormat() throws(JSONError) -> InputFormat? {
    while progress.head.format == nil {
      guard descriptor.waitBriefly() else { return nil }
      let count = try progress.head.append { (space) throws(JSONError) in
        try descriptor.read(into: space)
      }
      guard let count else { return nil }
      progress.hasEnded = count == 0
    }
    return progress.head.format
  }

  private func takeHead(into space: UnsafeMutableRawBufferPointer) -> Int {
    let bytes = progress.head.takeBytes(atMost: space.count)
    space.copyBytes(from: bytes)
    progress.bytesTaken += bytes.count
    return bytes.count
  }

  private func copy(
    from ahead: ReadAhead, into space: UnsafeMutableRawBufferPointer
  ) throws(JSONError) -> Int? {
    guard let (segment, offset) = progress.current else {
      switch try ahead.next() {
      case .segment(let segment): progress.current = (segment, 0)
      case .nothingYet: return nil
      case .end: return 0
      }
      return try copy(from: ahead, into: space)
    }
    let count = min(segment.count - offset, space.count)
    space.copyMemory(
      from: UnsafeRawBufferPointer(rebasing: segment.bytes[offset..<offset + count]))
    progress.current = offset + count < segment.count ? (segment, offset + count) : nil
    if progress.current == nil { ahead.recycle(segment) }
    return count
  }
}
