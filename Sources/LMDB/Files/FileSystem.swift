import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file system calls that an environment needs in addition to LMDB.
enum FileSystem {
  /// Identifies a file, whatever path leads to it.
  struct Identity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(device: UInt64, inode: UInt64) {
      self.device = device
      self.inode = inode
    }

    init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      inode = UInt64(truncatingIfNeeded: status.st_ino)
    }
  }

  /// The status of the file at `path`; nil if there is none.
  static func status(of path: String) throws(LMDBError) -> stat? {
    var status = stat()
    if stat(path, &status) == 0 { return status }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw .system(errno, doing: "look at the file", path: path)
  }

  /// The identity of the file at `path`; nil if there is none.
  static func identity(of path: String) throws(LMDBError) -> Identity? {
    try status(of: path).map { Identity($0) }
  }

  /// The status of an open descriptor.
  static func status(ofDescriptor descriptor: CInt, path: String) throws(LMDBError) -> stat {
    var status = stat()
    if fstat(descriptor, &status) == 0 { return status }
    throw .system(errno, doing: "look at the file", path: path)
  }

  /// The size in bytes of an open file.
  static func size(ofDescriptor descriptor: CInt, path: String) throws(LMDBError) -> Int {
    Int(try status(ofDescriptor: descriptor, path: path).st_size)
  }

  /// Creates a directory and its missing parents, readable by the owner only.
  ///
  /// New directories survive a power cut.
  static func createDirectories(_ path: String) throws(LMDBError) {
    if try createDirectory(path) { return }
    let failure = errno
    if failure == ENOENT, let parent = parent(of: path) {
      try createDirectories(parent)
      if try createDirectory(path) || errno == EEXIST { return }
    }
    var status = stat()
    if failure == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
    throw .system(failure == EEXIST ? ENOTDIR : failure, doing: "create the directory", path: path)
  }

  /// Returns false on failure; `errno` has the reason.
  private static func createDirectory(_ path: String) throws(LMDBError) -> Bool {
    guard mkdir(path, 0o700) == 0 else { return false }
    // A synchronised store could otherwise lie in a directory whose own entry is lost.
    try synchronize(parent(of: path) ?? "/")
    return true
  }

  /// The parent directory of `path`; nil for the root.
  static func parent(of path: String) -> String? {
    let trimmed = trimmingSlashes(path)
    guard let slash = trimmed.lastIndex(of: "/") else { return trimmed == "." ? nil : "." }
    if slash == trimmed.startIndex { return trimmed == "/" ? nil : "/" }
    return String(trimmed[..<slash])
  }

  /// The path without trailing slashes.
  static func trimmingSlashes(_ path: String) -> String {
    var text = path
    while text.count > 1, text.hasSuffix("/") { text.removeLast() }
    return text
  }

  /// The path without symbolic links. If nothing exists there yet, the path where it will be
  /// created: a dangling last link is followed too.
  static func resolved(_ path: String) -> String {
    var path = trimmingSlashes(path)
    // The number of links that the system follows.
    for _ in 0..<40 {
      if let real = realpath(path, nil) {
        defer { free(real) }
        return String(cString: real)
      }
      guard let target = target(ofLink: path) else { return path }
      let base = target.hasPrefix("/") ? "" : (parent(of: path) ?? ".") + "/"
      path = trimmingSlashes(base + target)
    }
    return path
  }

  /// The target of a symbolic link; nil if the path is not a link.
  private static func target(ofLink path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(path, &target, target.count)
    guard length > 0 else { return nil }
    return String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Makes the contents of a file, or the entries of a directory, survive a power cut.
  static func synchronize(_ path: String) throws(LMDBError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .system(errno, doing: "open it for synchronising", path: path)
    }
    defer { close(descriptor) }
    if fsync(descriptor) != 0 {
      throw .system(errno, doing: "synchronise", path: path)
    }
  }

  /// Whether less than a megabyte is free for an ordinary user.
  static func isFull(_ path: String) -> Bool { freeBytes(path) < 1 << 20 }

  /// The bytes free for an ordinary user; `Int.max` if unknown.
  static func freeBytes(_ path: String) -> Int { bytes(ofFileSystem: path) { $0.f_bavail } }

  /// The size of the file system in bytes; `Int.max` if unknown.
  static func totalBytes(_ path: String) -> Int { bytes(ofFileSystem: path) { $0.f_blocks } }

  private static func bytes(
    ofFileSystem path: String, blocks: (statvfs) -> fsblkcnt_t
  ) -> Int {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return .max }
    let bytes = UInt64(blocks(status)).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return bytes.overflow ? .max : Int(clamping: bytes.partialValue)
  }

  /// Sets the permissions of a file or directory, independent of the umask.
  static func setMode(_ mode: UInt32, of path: String) throws(LMDBError) {
    if chmod(path, mode_t(mode)) != 0 {
      throw .system(errno, doing: "set the permissions", path: path)
    }
  }

  /// Copies the permissions, and the owner if possible, of another file or directory. A file is
  /// created if it does not exist.
  static func copyMode(of path: String, to target: String) throws(LMDBError) {
    guard let status = try status(of: path) else { return }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    let flags = isDirectory ? O_RDONLY | O_CLOEXEC : O_RDWR | O_CREAT | O_CLOEXEC
    let descriptor = open(target, flags, 0o600)
    guard descriptor >= 0 else { throw .system(errno, doing: "make the file", path: target) }
    defer { close(descriptor) }
    // If this user may not change the owner, the file keeps its own.
    _ = fchown(descriptor, status.st_uid, status.st_gid)
    if fchmod(descriptor, status.st_mode & 0o7777) != 0 {
      throw .system(errno, doing: "set the permissions", path: target)
    }
  }

  /// Hard-links the other files of a directory into another one, as far as possible. Processes that
  /// have them mapped then share them with those that open the new directory.
  static func linkOthers(than excluded: [String], in directory: String, to target: String) {
    for name in names(in: directory) where !excluded.contains(name) {
      link(directory + "/" + name, target + "/" + name)
    }
  }

  /// Renames a file or directory; may replace an empty directory.
  static func rename(_ path: String, to target: String) throws(LMDBError) {
    if systemRename(path, target) != 0 { throw .system(errno, doing: "rename it", path: path) }
  }

  /// The names in a directory, without `.` and `..`.
  static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    return names(in: stream)
  }

  private static func names(in stream: OpaquePointer) -> [String] {
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Removes a directory and everything in it, as far as possible.
  static func removeDirectory(_ path: String) {
    removeFiles(in: path)
    if rmdir(path) != 0, errno == ENOTDIR { unlink(path) }
  }

  /// Removes everything in a directory, as far as possible. Does nothing if the path is a link,
  /// which another user may have created.
  static func removeFiles(in path: String) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if descriptor >= 0 { removeFiles(inDescriptor: descriptor) }
  }

  /// Does the same for an open descriptor, and closes it.
  private static func removeFiles(inDescriptor directory: CInt) {
    guard let stream = fdopendir(directory) else {
      close(directory)
      return
    }
    defer { closedir(stream) }
    for name in names(in: stream) where unlinkat(directory, name, 0) != 0 {
      let inner = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      if inner >= 0 { removeFiles(inDescriptor: inner) }
      unlinkat(directory, name, AT_REMOVEDIR)
    }
  }
}

// Inside the type, `rename` alone would refer to the method.
private func systemRename(_ path: String, _ target: String) -> CInt { rename(path, target) }

/// File systems whose memory maps are not coherent between machines.
///
/// FUSE is not among them, because many local file systems use it.
enum UnsafeFilesystem {
  /// Rejects a directory on a network file system.
  static func refuse(_ directory: String) throws(LMDBError) {
    guard let name = networkFilesystem(of: directory) else { return }
    throw LMDBError(
      .unsafeFilesystem,
      "LMDB cannot work on a network file system (\(name)); put the store on a local disk,"
        + " or allow it where no other machine has it open",
      path: directory)
  }

  private static func networkFilesystem(of directory: String) -> String? {
    // The magic numbers of statfs(2) on Linux; macOS reports only local or not.
    switch feedcore_filesystem_type(directory) {
    case 0x6969: "NFS"
    case 0xFF53_4D42, 0xFE53_4D42, 0x517B: "SMB"
    case 0x0102_1997: "9p"
    case UInt64.max: "a remote volume"
    default: nil
    }
  }
}
