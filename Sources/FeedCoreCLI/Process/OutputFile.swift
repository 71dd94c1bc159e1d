#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that appears as a whole or not at all: it is written next to its final path and renamed.
final class OutputFile {
  let output: Output
  private let place: OutputPlace
  private let temporaryPath: String
  private let descriptor: CInt
  private var isInPlace = false

  /// - Throws: exit status 74 if the file cannot be created.
  init(_ path: String) throws(Failure) {
    place = try OutputPlace(path)
    var status = stat()
    let isReplacement =
      stat(place.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    (temporaryPath, descriptor) = try Self.makeTemporary(
      beside: place, mode: isReplacement ? status.st_mode & 0o777 : 0o666)
    output = Output(descriptor, name: path)
    if isReplacement { Self.hand(descriptor, to: status) }
  }

  deinit {
    close(descriptor)
    if !isInPlace { unlink(temporaryPath) }
  }

  /// Completes the file and renames it to its final path. It survives a power failure.
  func publish() throws(Failure) {
    try output.finish()
    guard fsync(descriptor) == 0, rename(temporaryPath, place.path) == 0 else {
      throw Failure(writing: place.name, errno)
    }
    isInPlace = true
  }

  /// Creates a file with an unused name, so that the remains of a killed process do not interfere.
  private static func makeTemporary(
    beside place: OutputPlace, mode: mode_t
  ) throws(Failure) -> (path: String, descriptor: CInt) {
    var path = ""
    for _ in 0..<16 {
      let suffix = String(UInt64.random(in: .min ... .max), radix: 36)
      path = "\(place.directory).feedcore-\(suffix)"
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      if descriptor >= 0 { return (path, descriptor) }
      guard errno == EEXIST || errno == EINTR && !Interruption.isRequested else { break }
    }
    let reason = String(cString: strerror(errno))
    throw Failure(
      .failedIO, "\(place.name): \(path), from which it is to be made, cannot be made: \(reason)")
  }

  /// Gives the file the owner, the group and the mode of the one that it replaces, as far as
  /// permitted.
  private static func hand(_ descriptor: CInt, to replaced: stat) {
    var mode = replaced.st_mode & 0o777
    if fchown(descriptor, replaced.st_uid, replaced.st_gid) != 0,
      fchown(descriptor, uid_t.max, replaced.st_gid) != 0
    {
      // Another group gets no more rights than all users.
      mode = mode & 0o707 | (mode & 0o007) << 3
    }
    _ = fchmod(descriptor, mode)
  }
}
