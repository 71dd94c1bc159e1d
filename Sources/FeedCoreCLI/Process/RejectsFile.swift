import FeedCore
import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The records that an ingest passes over, one JSON object a line.
///
/// Each line is written at once, so that the file is whole before anything is published.
final class RejectsFile {
  private let descriptor: CInt
  private let output: Output

  /// - Parameter inputs: the files to be read, none of which may be overwritten.
  /// - Throws: exit status 74 where the file cannot be made, 64 where it is an input.
  init(_ path: String, inputs: [String]) throws(Failure) {
    guard !inputs.contains(where: { Self.isSame($0, path) }) else {
      throw Failure(.usage, "\(path): is an input; write the rejects to another file")
    }
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw Failure(.failedIO, "\(path): \(String(cString: strerror(errno)))")
    }
    output = Output(descriptor, name: path)
  }

  deinit { close(descriptor) }

  /// False once a line could not be written.
  var isWritable: Bool { output.isWritable }

  func add(_ error: JSONError, raw: borrowing RawSpan) {
    var line = JSONLine()
    line.add("file", error.file)
    line.addPlace(of: error)
    // What is not UTF-8 is shown as U+FFFD: a JSON string cannot hold it.
    line.add("raw", raw.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    output.write(line.text + [0x0A])
    output.drain()
  }

  /// - Throws: what kept a line from being written.
  func finish() throws(Failure) { try output.finish() }

  private static func isSame(_ path: String, _ other: String) -> Bool {
    var status = stat()
    var otherStatus = stat()
    let isThere = path == "-" ? fstat(STDIN_FILENO, &status) == 0 : stat(path, &status) == 0
    guard isThere, stat(other, &otherStatus) == 0 else { return false }
    return status.st_dev == otherStatus.st_dev && status.st_ino == otherStatus.st_ino
      && status.st_mode & S_IFMT == S_IFREG
  }
}
