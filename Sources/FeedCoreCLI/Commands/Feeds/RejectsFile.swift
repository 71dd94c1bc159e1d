import FeedCore
import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The records that an ingest skips, one JSON object per line.
///
/// Each line is written at once, so that the file is complete before anything is published.
final class RejectsFile {
  private let descriptor: CInt
  private let output: Output
  /// The path if no file existed there, while there is no reason to keep the new one.
  private var unused: String?
  /// Whether the file still has its earlier content.
  private var hasOldContent: Bool
  private var truncationFailure: Failure?

  /// - Parameter inputs: the input files, none of which may be overwritten.
  /// - Throws: exit status 74 if the file cannot be created, 64 if it is an input.
  init(_ path: String, inputs: [String]) throws(Failure) {
    guard !inputs.contains(where: { Self.isSame($0, path) }) else {
      throw Failure(.usage, "\(path): is an input file; write the rejects to another file")
    }
    (descriptor, hasOldContent, unused) = try Self.open(path)
    output = Output(descriptor, name: path)
  }

  // An ingest that fails before it has skipped a record leaves no new file.
  deinit {
    if let unused, Self.isSame(unused, descriptor) { unlink(unused) }
    close(descriptor)
  }

  /// The failure that prevented a line from being written. A closed pipe is not a failure.
  var failure: Failure? { truncationFailure ?? output.failure }

  func add(_ error: JSONError, raw: borrowing RawSpan) {
    unused = nil
    removeOldContent()
    var line = JSONLine()
    line.add("file", error.file)
    line.addPosition(of: error)
    // Invalid UTF-8 becomes U+FFFD, because a JSON string cannot contain it.
    line.add("raw", raw.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    output.write(line.text + [0x0A])
    output.drain()
  }

  /// Leaves an empty file if no record was skipped.
  ///
  /// - Throws: the failure that prevented a line from being written.
  func finish() throws(Failure) {
    unused = nil
    removeOldContent()
    if let failure { throw failure }
  }

  // Called with the first reject, or else at the end. An ingest that does not start keeps the
  // earlier content.
  private func removeOldContent() {
    guard hasOldContent else { return }
    hasOldContent = false
    if ftruncate(descriptor, 0) != 0 { truncationFailure = Failure(writing: output.name, errno) }
  }

  private static func open(
    _ path: String
  ) throws(Failure) -> (descriptor: CInt, hasOldContent: Bool, unused: String?) {
    let target = try OutputTarget(path)
    if let opened = try target.openDescriptor() { return (opened, false, nil) }
    let made = systemOpen(target.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
    if made >= 0 { return (made, false, target.path) }
    let opened = systemOpen(target.path, O_WRONLY | O_CREAT | O_CLOEXEC)
    guard opened >= 0 else { throw Failure(writing: path, errno) }
    var status = stat()
    guard fstat(opened, &status) == 0, isRegular(status) else { return (opened, false, nil) }
    // Two writers that start at the beginning of one file would overwrite each other.
    for stream in [STDOUT_FILENO, STDERR_FILENO] {
      var streamStatus = stat()
      guard fstat(stream, &streamStatus) == 0, isSame(status, streamStatus) else { continue }
      let copy = OutputTarget.copy(stream)
      guard copy >= 0 else { continue }
      close(opened)
      return (copy, false, nil)
    }
    return (opened, true, nil)
  }

  private static func isSame(_ path: String, _ other: String) -> Bool {
    var status = stat()
    var otherStatus = stat()
    let exists = path == "-" ? fstat(STDIN_FILENO, &status) == 0 : stat(path, &status) == 0
    guard exists, stat(other, &otherStatus) == 0 else { return false }
    return isSame(status, otherStatus) && isRegular(status)
  }

  private static func isSame(_ path: String, _ descriptor: CInt) -> Bool {
    var status = stat()
    var otherStatus = stat()
    guard stat(path, &status) == 0, fstat(descriptor, &otherStatus) == 0 else { return false }
    return isSame(status, otherStatus)
  }

  private static func isSame(_ status: stat, _ other: stat) -> Bool {
    status.st_dev == other.st_dev && status.st_ino == other.st_ino
  }

  private static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }
}

// Within the type, `open` would refer to the method.
private func systemOpen(_ path: String, _ flags: CInt) -> CInt { open(path, flags, 0o666) }
