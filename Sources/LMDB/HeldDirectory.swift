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
  private let descriptor: LockDescriptor

  /// Nil where somebody else holds it, or it is none that can be held.
  init?(_ path: String) {
    let opened = LockDescriptor {
      open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    } unlock: { descriptor in
      _ = feedcore_lock_directory(descriptor, 0)
    }
    // Whoever removes an abandoned one may have been faster: it has no name then.
    guard let descriptor = opened, feedcore_lock_directory(descriptor.number, 1) == 0,
      let status = try? FileSystem.status(ofDescriptor: descriptor.number, path: path),
      (try? FileSystem.identity(of: path)) == FileSystem.Identity(status)
    else { return nil }
    self.path = path
    self.descriptor = descriptor
  }
}
