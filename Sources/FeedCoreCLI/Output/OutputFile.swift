#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that appears as a whole or not at all: it is written next to its final path and renamed.
final class OutputFile {
  let output: Output
  private let target: OutputTarget
  private let temporaryPath: String
  private let descriptor: CInt
  private var isPublished = false

  /// - Throws: exit status 74 if the file cannot be created.
  init(_ path: String) throws(Failure) {
    target = try OutputTarget(path)
    var status = stat()
    let isReplacement =
      stat(target.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    (temporaryPath, descriptor) = try Self.makeTemporary(
      nextTo: target, mode: isReplacement ? status.st_mode & 0o777 : 0o666)
    output = Output(descriptor, name: path)
    if isReplacement { Self.copyOwnership(of: status, to: descriptor) }
  }

  deinit {
    close(descriptor)
    if !isPublished { unlink(temporaryPath) }
  }

  /// Completes the file and renames it to its final path. It survives a power failure.
  func publish() throws(Failure) {
    try output.finish()
    guard fsync(descriptor) == 0, rename(temporaryPath, target.path) == 0 else {
      throw Failure(writing: target.name, errno)
    }
    isPublished = true
  }

  /// Creates a file with an unused name, so that the remains of a killed process do not interfere.
  private static func makeTemporary(
    nextTo target: OutputTarget, mode: mode_t
  ) throws(Failure) -> (path: String, descriptor: CInt) {
    var path = ""
    for _ in 0..<16 {
      let suffix = String(UInt64.random(in: .min ... .max), radix: 36)
      path = "\(target.directory).feedcore-\(suffix)"
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      if descriptor >= 0 { return (path, descriptor) }
      guard errno == EEXIST || errno == EINTR && !Interruption.isRequested else { break }
    }
    let reason = String(cString: strerror(errno))
    throw Failure(
      .failedIO, "\(target.name): its temporary file \(path) cannot be made: \(reason)")
  }

  /// Gives the file the owner, the group and the mode of the one that it replaces, as far as
  /// permitted.
  private static func copyOwnership(of replaced: stat, to descriptor: CInt) {
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

/// A device, a pipe or a descriptor as output: it is written to, not replaced.
final class SpecialFile {
  let output: Output
  private let descriptor: CInt

  /// Nil if the path is a regular file or does not exist.
  ///
  /// - Throws: exit status 74 if it cannot be written.
  init?(_ path: String) throws(Failure) {
    let target = try OutputTarget(path)
    if let opened = try target.openDescriptor() {
      descriptor = opened
    } else {
      var status = stat()
      guard stat(target.path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return nil }
      descriptor = open(target.path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Failure(writing: path, errno) }
    }
    output = Output(descriptor, name: path)
  }

  deinit { close(descriptor) }
}

/// The target of an output path, with its links followed.
struct OutputTarget {
  /// The name in errors: the path as given.
  let name: String
  /// The path with links resolved, so that a link stays and its target is replaced.
  let path: String
  private let descriptor: Descriptor?

  private enum Descriptor {
    /// A descriptor that this process inherited: `/dev/stdout`, `/dev/fd/3`.
    case own(CInt)
    /// A descriptor of another process: `/proc/1/fd/1`, the path of a container's log.
    case others
  }

  /// The system's limit of followed links.
  private static let maximumLinkCount = 40

  /// - Throws: exit status 74 for a loop of links, 64 for a link to a name that is not text.
  init(_ name: String) throws(Failure) {
    self.name = name
    var path = name
    for _ in 0..<Self.maximumLinkCount {
      let (directory, last) = Self.parts(of: path)
      if let number = CInt(last), let isOurs = Self.containsOwnDescriptors(directory) {
        self.path = path
        descriptor = isOurs ? .own(number) : .others
        return
      }
      guard let target = try Self.target(ofLink: path) else {
        self.path = path
        descriptor = nil
        return
      }
      path = target.hasPrefix("/") ? target : directory + target
    }
    throw Failure(writing: name, ELOOP)
  }

  /// The path before the last name, with its slash; empty for a name alone.
  var directory: String { Self.parts(of: path).directory }

  /// Opens the target if it is a descriptor, to continue at its offset; nil for all others.
  ///
  /// Opening a file again by such a name would write at its start, over the existing content.
  ///
  /// - Throws: exit status 74 if it cannot be written.
  func openDescriptor() throws(Failure) -> CInt? {
    let opened: CInt
    switch descriptor {
    case nil: return nil
    case .own(let number): opened = Self.copy(number)
    case .others: opened = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    }
    guard opened >= 0 else { throw Failure(writing: name, errno) }
    return opened
  }

  /// A descriptor that shares its file offset with a given one; negative if that is not writable.
  static func copy(_ number: CInt) -> CInt {
    let flags = fcntl(number, F_GETFD)
    // A descriptor that closes on `exec` was not inherited. It is this process's own and may be the
    // store's.
    guard flags >= 0, flags & FD_CLOEXEC == 0, fcntl(number, F_GETFL) & O_ACCMODE != O_RDONLY
    else {
      errno = EBADF
      return -1
    }
    return fcntl(number, F_DUPFD_CLOEXEC, 0)
  }

  private static func parts(of path: String) -> (directory: String, last: String) {
    // Searches bytes: a slash and a following combining mark would be one character.
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let start = slash.map { path.utf8.index(after: $0) } ?? path.startIndex
    return (String(path[..<start]), String(path[start...]))
  }

  private static func target(ofLink path: String) throws(Failure) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &bytes, bytes.count)
    guard count > 0 else { return nil }
    guard let target = String(validating: bytes.prefix(count), as: UTF8.self) else {
      throw Failure(.usage, "\(path): the target of this link is not UTF-8")
    }
    return target
  }

  /// Whether a directory contains the descriptors of this process; nil if it contains no
  /// descriptors.
  private static func containsOwnDescriptors(_ directory: String) -> Bool? {
    let directory = real(directory.isEmpty ? "." : directory)
    if directory == "/dev/fd" { return true }
    guard let directory, directory.hasPrefix("/proc/"), directory.hasSuffix("/fd") else {
      return nil
    }
    guard let process = real("/proc/self") else { return false }
    return directory == process + "/fd" || directory.hasPrefix(process + "/task/")
  }

  private static func real(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
