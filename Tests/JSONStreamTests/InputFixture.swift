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

extension InputSource {
  /// Reads to the end, at most `pieces` bytes at a time.
  func readAll(pieces: Int = 1 << 20) throws(JSONError) -> [UInt8] {
    var result: [UInt8] = []
    while let more = try readOnce(pieces) {
      guard !more.isEmpty else { return result }
      result += more
    }
    return result
  }

  /// Waits for the next bytes; empty at the end.
  func readOnce(_ size: Int) throws(JSONError) -> [UInt8]? {
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    defer { space.deallocate() }
    while true {
      if let count = try read(into: space) { return Array(space[..<count]) }
    }
  }
}

/// The error that reading a file to its end throws, and the bytes read before it.
func failure(
  reading path: String, pieces: Int = 1 << 20
) -> (error: JSONError?, bytes: [UInt8]) {
  var bytes: [UInt8] = []
  do throws(JSONError) {
    let source = try InputSource(path)
    while let more = try source.readOnce(pieces), !more.isEmpty { bytes += more }
    return (nil, bytes)
  } catch {
    return (error, bytes)
  }
}

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
