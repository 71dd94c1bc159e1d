import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A directory that is being created or replaced. It is locked as long as this object and its
/// process live, so other processes can tell. A process number would not do: after a restart of the
/// system or of a container another process can have the same number.
final class HeldDirectory {
  /// The path at which it was locked.
  let path: String
  private let descriptor: LockDescriptor

  /// Nil if another holder has it, or if the path is no directory that can be locked.
  init?(_ path: String) {
    let opened = LockDescriptor {
      open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    } unlock: { descriptor in
      _ = feedcore_lock_directory(descriptor, 0)
    }
    // A cleanup in another process may have removed it first; the path then has no such directory.
    guard let descriptor = opened, feedcore_lock_directory(descriptor.number, 1) == 0,
      let status = try? FileSystem.status(ofDescriptor: descriptor.number, path: path),
      (try? FileSystem.identity(of: path)) == FileSystem.Identity(status)
    else { return nil }
    self.path = path
    self.descriptor = descriptor
  }
}
