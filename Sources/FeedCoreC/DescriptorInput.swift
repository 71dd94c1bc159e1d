import CFeedCore
import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a descriptor of C's holds, read to its end.
struct DescriptorInput {
  /// How far it has been read.
  struct Progress {
    var inputBytes = 0
    var totalBytes = 0
  }

  private let descriptor: CInt
  private let status: stat

  init(_ descriptor: CInt) throws {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw Failure(FEEDCORE_NOT_FOUND, "the descriptor is not open")
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw Failure(FEEDCORE_NOT_FOUND, "the descriptor is a directory; open a file")
    }
    self.descriptor = descriptor
    self.status = status
  }

  /// Gives all of it, inflated, piece by piece; an empty piece says that nothing has come for a while.
  func forEachPiece(_ body: (UnsafeRawBufferPointer, Progress) throws -> Void) throws {
    if canBeOpenedAgain, let source = try? InputSource("/dev/fd/\(descriptor)") {
      return try inflate(source, body)
    }
    try read(body)
  }

  /// Whether opening it by its number leads to where it stands now. Then it is read by the room
  /// below, which inflates on a thread of its own.
  private var canBeOpenedAgain: Bool {
    switch status.st_mode & S_IFMT {
    case S_IFIFO: true
    case S_IFREG: lseek(descriptor, 0, SEEK_CUR) == 0
    default: false
    }
  }

  private func inflate(
    _ source: consuming InputSource, _ body: (UnsafeRawBufferPointer, Progress) throws -> Void
  ) throws {
    let ahead = try source.readAhead()
    var progress = Progress(inputBytes: 0, totalBytes: source.fileByteCount ?? 0)
    while true {
      switch try ahead.next() {
      case .segment(let segment):
        progress.inputBytes = ahead.bytesTaken
        try body(UnsafeRawBufferPointer(segment.bytes), progress)
        ahead.recycle(segment)
      case .nothingYet: try body(UnsafeRawBufferPointer(start: nil, count: 0), progress)
      case .end: return
      }
    }
  }

  private func read(_ body: (UnsafeRawBufferPointer, Progress) throws -> Void) throws {
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { space.deallocate() }
    var progress = Progress()
    while true {
      let count = systemRead(descriptor, space.baseAddress, space.count)
      if count == 0 { return }
      if count > 0 {
        progress.inputBytes += count
        try body(UnsafeRawBufferPointer(rebasing: space[..<count]), progress)
      } else if errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&request, 1, 50)
        try body(UnsafeRawBufferPointer(start: nil, count: 0), progress)
      } else {
        throw Failure(FEEDCORE_IO, "reading failed: \(String(cString: strerror(errno)))")
      }
    }
  }
}

// `read` alone would name the method.
private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int
{
  read(descriptor, buffer, count)
}
