import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A directory that is being made or replaced, as others can tell: it is locked for as long as this
/// object or its process is there. The number of a process would not do, since another one gets it
/// after a restart of the system or of a container.
final class HeldDirectory {
  /// Where it was when it was locked.
  let path: String
  private let descriptor: CInt
  private let owner = getpid()

  /// Nil where somebody else holds it, or it is none that can be held.
  init?(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    // Whoever removes an abandoned one may have been faster: it has no name then.
    guard feedcore_lock_directory(descriptor, 1) == 0,
      let status = try? FileSystem.status(ofDescriptor: descriptor, path: path),
      (try? FileSystem.identity(of: path)) == FileSystem.Identity(status)
    else {
      close(descriptor)
      return nil
    }
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    // A forked child has the same lock, and must not take it from its parent.
    if getpid() == owner { _ = feedcore_lock_directory(descriptor, 0) }
    close(descriptor)
  }
}
