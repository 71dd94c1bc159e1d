#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that appears whole or not at all: it is written beside its place and renamed into it.
final class OutputFile {
  let output: Output
  private let path: String
  private let temporaryPath: String
  private let descriptor: CInt
  private var isInPlace = false

  /// - Throws: exit status 74 where the file cannot be made.
  init(_ path: String) throws(Failure) {
    self.path = path
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let directory = parts.dropLast().map { $0 + "/" }.joined()
    temporaryPath = "\(directory).\(parts.last ?? "").\(getpid())"
    descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.failure(path) }
    output = Output(descriptor, name: path)
  }

  deinit {
    close(descriptor)
    if !isInPlace { unlink(temporaryPath) }
  }

  /// Ends the file and moves it to its place, where it survives a power cut.
  func publish() throws(Failure) {
    try output.finish()
    guard fsync(descriptor) == 0, rename(temporaryPath, path) == 0 else {
      throw Self.failure(path)
    }
    isInPlace = true
  }

  private static func failure(_ path: String) -> Failure {
    Failure(.failedIO, "\(path): \(String(cString: strerror(errno)))")
  }
}
