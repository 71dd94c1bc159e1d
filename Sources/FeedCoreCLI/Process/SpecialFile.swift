#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A device, a pipe or a descriptor as output: it is written to, not replaced.
final class SpecialFile {
  let output: Output
  private let descriptor: CInt

  /// Nil if the path is a regular file or does not exist.
  ///
  /// - Throws: exit status 74 if it cannot be written.
  init?(_ path: String) throws(Failure) {
    let place = try OutputPlace(path)
    if let opened = try place.openDescriptor() {
      descriptor = opened
    } else {
      var status = stat()
      guard stat(place.path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return nil }
      descriptor = open(place.path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Failure(writing: path, errno) }
    }
    output = Output(descriptor, name: path)
  }

  deinit { close(descriptor) }
}
