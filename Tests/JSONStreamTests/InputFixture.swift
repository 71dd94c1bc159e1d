import TestSupport

@testable import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Makes files and pipes to read from.
final class InputFixture {
  private let directory: TemporaryDirectory
  private var count = 0

  init() throws { directory = try TemporaryDirectory() }

  /// Makes a file whose name does not reveal its content.
  func file(_ bytes: [UInt8]) throws -> String {
    count += 1
    let path = "\(directory.path)/input-\(count)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(descriptor) }
    try Self.write(bytes, to: descriptor)
    return path
  }

  func pipe() throws -> TestPipe {
    count += 1
    return try TestPipe("\(directory.path)/pipe-\(count)")
  }

  static func write(_ bytes: [UInt8], to descriptor: CInt) throws {
    var done = 0
    while done < bytes.count {
      let more = bytes.withUnsafeBytes {
        systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: $0[done...]))
      }
      guard more > 0 else { throw Failure(number: errno) }
      done += more
    }
  }
}

struct Failure: Error {
  let number: CInt
}

/// A named pipe that the test holds open.
final class TestPipe {
  let path: String
  private var descriptor: CInt

  init(_ path: String) throws {
    self.path = path
    guard mkfifo(path, 0o600) == 0 else { throw Failure(number: errno) }
    // Opened for reading and writing, or `open` would wait for the other end.
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(number: errno) }
  }

  deinit { end() }

  /// Writes bytes; a pipe holds a few thousand unread ones.
  func send(_ bytes: [UInt8]) throws { try InputFixture.write(bytes, to: descriptor) }

  func end() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}

extension ReadAhead {
  /// Waits for the next segment; nil at the end. The caller recycles it.
  func nextSegment() throws(JSONError) -> InputSegment? {
    while true {
      switch try next() {
      case .segment(let segment): return segment
      case .nothingYet: continue
      case .end: return nil
      }
    }
  }

  /// Waits for the next bytes; nil at the end.
  func nextBytes() throws(JSONError) -> [UInt8]? {
    guard let segment = try nextSegment() else { return nil }
    defer { recycle(segment) }
    return Array(segment.bytes)
  }

  /// Reads to the end.
  func readAll() throws(JSONError) -> [UInt8] {
    var result: [UInt8] = []
    while let more = try nextBytes() { result += more }
    return result
  }
}

/// The error that reading a file to its end throws, and the bytes read before it.
func failure(reading path: String) -> (error: JSONError?, bytes: [UInt8]) {
  var bytes: [UInt8] = []
  do throws(JSONError) {
    let ahead = try InputSource(path).readAhead()
    while let more = try ahead.nextBytes() { bytes += more }
    return (nil, bytes)
  } catch {
    return (error, bytes)
  }
}

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
