import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The few file system calls that an environment needs around LMDB.
enum FileSystem {
  /// What a file is, whatever path leads to it.
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

  /// The status of what `path` leads to, or nil where there is nothing.
  static func status(of path: String) throws(LMDBError) -> stat? {
    var status = stat()
    if stat(path, &status) == 0 { return status }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw .system(errno, doing: "look at the file", path: path)
  }

  /// What `path` leads to, or nil where there is nothing.
  static func identity(of path: String) throws(LMDBError) -> Identity? {
    try status(of: path).map { Identity($0) }
  }

  /// The status of an open descriptor.
  static func status(ofDescriptor descriptor: CInt, path: String) throws(LMDBError) -> stat {
    var status = stat()
    if fstat(descriptor, &status) == 0 { return status }
    throw .system(errno, doing: "look at the file", path: path)
  }

  /// The size in bytes of what is open under a descriptor.
  static func size(ofDescriptor descriptor: CInt, path: String) throws(LMDBError) -> Int {
    Int(try status(ofDescriptor: descriptor, path: path).st_size)
  }

  /// Creates a directory and those above it, readable by the owner only.
  ///
  /// Those that are new survive a power cut.
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

  /// False where that is not possible now; `errno` tells why.
  private static func createDirectory(_ path: String) throws(LMDBError) -> Bool {
    guard mkdir(path, 0o700) == 0 else { return false }
    // Else a synchronised store could lie in a directory that nothing leads to.
    try synchronize(parent(of: path) ?? "/")
    return true
  }

  /// The directory that holds `path`; nil for the root.
  static func parent(of path: String) -> String? {
    let trimmed = trimmingSlashes(path)
    guard let slash = trimmed.lastIndex(of: "/") else { return trimmed == "." ? nil : "." }
    if slash == trimmed.startIndex { return trimmed == "/" ? nil : "/" }
    return String(trimmed[..<slash])
  }

  /// The path without slashes at its end.
  static func trimmingSlashes(_ path: String) -> String {
    var text = path
    while text.count > 1, text.hasSuffix("/") { text.removeLast() }
    return text
  }

  /// The path without symbolic links; where nothing exists yet, the path at which it will be: a
  /// last link leads there also while there is nothing.
  static func resolved(_ path: String) -> String {
    var path = trimmingSlashes(path)
    // As many links as the system follows.
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

  /// What a symbolic link says; nil where there is none.
  private static func target(ofLink path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(path, &target, target.count)
    guard length > 0 else { return nil }
    return String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Makes a file's or a directory's entries survive a power cut.
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

  /// Whether less than a megabyte is left for an ordinary user.
  static func isFull(_ path: String) -> Bool { freeBytes(path) < 1 << 20 }

  /// The bytes that are left for an ordinary user; `Int.max` where nobody knows.
  static func freeBytes(_ path: String) -> Int {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return .max }
    let available = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return available.overflow ? .max : Int(clamping: available.partialValue)
  }

  /// Changes the permissions of a file or directory, whatever the mask of the process.
  static func setMode(_ mode: UInt32, of path: String) throws(LMDBError) {
    if chmod(path, mode_t(mode)) != 0 {
      throw .system(errno, doing: "set the permissions", path: path)
    }
  }

  /// Gives a file or directory the permissions, and if possible the owner, of another one; the
  /// file is made where it does not exist.
  static func copyMode(of path: String, to target: String) throws(LMDBError) {
    guard let status = try status(of: path) else { return }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    let flags = isDirectory ? O_RDONLY | O_CLOEXEC : O_RDWR | O_CREAT | O_CLOEXEC
    let descriptor = open(target, flags, 0o600)
    guard descriptor >= 0 else { throw .system(errno, doing: "make the file", path: target) }
    defer { close(descriptor) }
    // Whoever may not give files away keeps them.
    _ = fchown(descriptor, status.st_uid, status.st_gid)
    if fchmod(descriptor, status.st_mode & 0o7777) != 0 {
      throw .system(errno, doing: "set the permissions", path: target)
    }
  }

  /// Gives the other files of a directory names in another one, as far as that is possible: who has
  /// them mapped goes on with those that the others see.
  static func linkOthers(than excluded: [String], in directory: String, to target: String) {
    for name in names(in: directory) where !excluded.contains(name) {
      link(directory + "/" + name, target + "/" + name)
    }
  }

  /// Renames a file or directory, over an empty directory too.
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

  /// Removes a directory and everything in it, as far as that is possible.
  static func removeDirectory(_ path: String) {
    removeFiles(in: path)
    if rmdir(path) != 0, errno == ENOTDIR { unlink(path) }
  }

  /// Removes everything in a directory, as far as that is possible; nothing where the path is a
  /// link to one, which somebody else may have put there.
  static func removeFiles(in path: String) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if descriptor >= 0 { removeFiles(inDescriptor: descriptor) }
  }

  /// The same by an open descriptor, which it closes.
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

// `rename` alone would name the method.
private func systemRename(_ path: String, _ target: String) -> CInt { rename(path, target) }
