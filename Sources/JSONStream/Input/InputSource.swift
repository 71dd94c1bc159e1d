/// A file, a pipe or standard input, opened for reading and closed when it goes.
///
/// What is compressed by gzip or zstd is told by its first bytes, and read as what it holds. It is
/// inflated on a thread of its own; plain input needs no thread unless ``readAhead(slack:)``
/// asks for one. A source is used by one thread.
package struct InputSource: ~Copyable {
  /// The length in bytes of what is read, where that is known beforehand; nil for a pipe, and for
  /// a compressed file, of which nobody knows how long it will become.
  package let byteCount: Int?
  /// The length of the file as it lies there, where that is known beforehand.
  package let fileByteCount: Int?

  private let descriptor: InputDescriptor
  private let progress: Progress

  /// What changes while the source is read.
  private final class Progress {
    var head = InputHead()
    var hasEnded = false
    var bytesTaken = 0
    var ahead: ReadAhead?
    /// The segment that ``InputSource/read(into:)`` is copying from, and how far it is.
    var current: (segment: InputSegment, offset: Int)?
  }

  /// Opens a file; `-` is standard input.
  package init(_ path: String) throws(JSONError) { self.init(try InputDescriptor(path)) }

  /// Reads a descriptor of somebody else's, from where it stands to its end.
  ///
  /// - Parameter name: what errors call it.
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
      // They have only been looked at.
      _ = head.takeBytes(atMost: InputHead.longest)
      progress.head = head
    }
    byteCount = isCompressed ? nil : descriptor.length
  }

  /// What errors call it.
  package var name: String { descriptor.name }

  /// Bytes taken of the file as it lies there: its compressed bytes, if it is compressed. Of
  /// those that are read ahead, only what led to the bytes handed over.
  package var bytesTaken: Int { progress.ahead?.bytesTaken ?? progress.bytesTaken }

  /// Has a thread of its own read ahead, from where the source stands.
  ///
  /// To be called once, before the first ``read(into:)``, which from then on takes its bytes
  /// from there too.
  ///
  /// - Parameters:
  ///   - slack: the room in front of each segment's bytes; a multiple of a page keeps the bytes
  ///     aligned to one.
  ///   - limit: segments in the ring.
  package func readAhead(
    slack: Int = (64 << 10) + 4096, limit: Int = ReadAhead.segmentLimit
  ) throws(JSONError) -> ReadAhead {
    if let ahead = progress.ahead { return ahead }
    let ahead = try ReadAhead(descriptor, head: progress.head, slack: slack, limit: limit)
    progress.ahead = ahead
    return ahead
  }

  /// Reads into `space`, which is not empty; 0 says that the input has ended, nil that nothing
  /// has come yet and that the caller may look whether it still wants to wait.
  func read(into space: UnsafeMutableRawBufferPointer) throws(JSONError) -> Int? {
    if let ahead = progress.ahead { return try copy(from: ahead, into: space) }
    guard let format = try detectFormat() else { return nil }
    if format != .plain { return try copy(from: readAhead(slack: 0), into: space) }
    if !progress.head.bytes.isEmpty { return takeHead(into: space) }
    // A terminal can be read on after its end; an input cannot.
    if progress.hasEnded { return 0 }
    guard descriptor.waitBriefly(), let count = try descriptor.read(into: space) else { return nil }
    progress.hasEnded = count == 0
    progress.bytesTaken += count
    return count
  }

  /// Reads as many bytes as are needed to tell the format; nil if nothing has come yet.
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
