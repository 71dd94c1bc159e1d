#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where a path that is named as output leads, its links followed.
struct OutputPlace {
  /// What errors call it: the path as it was given.
  let name: String
  /// The path of what is no link, so that a link stays one and its target is replaced.
  let path: String
  private let descriptor: Descriptor?

  private enum Descriptor {
    /// One that this process was given: `/dev/stdout`, `/dev/fd/3`.
    case own(CInt)
    /// That of another process: `/proc/1/fd/1`, as the log of a container is called.
    case others
  }

  /// As many as the system follows.
  private static let mostLinks = 40

  /// - Throws: exit status 74 for links that never end, 64 for one to a name that is no text.
  init(_ name: String) throws(Failure) {
    self.name = name
    var path = name
    for _ in 0..<Self.mostLinks {
      let (directory, last) = Self.parts(of: path)
      if let number = CInt(last), let isOurs = Self.holdsOurDescriptors(directory) {
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

  /// What stands before the last name, with its slash; empty for a name alone.
  var directory: String { Self.parts(of: path).directory }

  /// Opens what it leads to if that is a descriptor, to go on where that stands; nil for all others.
  ///
  /// To open a file anew by such a name would write at its start, over what is there.
  ///
  /// - Throws: exit status 74 where it cannot be written.
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

  /// A descriptor that shares its place in the file with a given one; negative where that is not to
  /// be written.
  static func copy(_ number: CInt) -> CInt {
    let flags = fcntl(number, F_GETFD)
    // One that goes with `exec` was not given to this process: it is its own, perhaps the store's.
    guard flags >= 0, flags & FD_CLOEXEC == 0, fcntl(number, F_GETFL) & O_ACCMODE != O_RDONLY
    else {
      errno = EBADF
      return -1
    }
    return fcntl(number, F_DUPFD_CLOEXEC, 0)
  }

  private static func parts(of path: String) -> (directory: String, last: String) {
    // By bytes: a slash and a mark that stands on it would be one character.
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let start = slash.map { path.utf8.index(after: $0) } ?? path.startIndex
    return (String(path[..<start]), String(path[start...]))
  }

  private static func target(ofLink path: String) throws(Failure) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &bytes, bytes.count)
    guard count > 0 else { return nil }
    guard let target = String(validating: bytes.prefix(count), as: UTF8.self) else {
      throw Failure(.usage, "\(path): the name that this link holds is not UTF-8")
    }
    return target
  }

  /// Whether a directory holds the descriptors of this process; nil where it holds those of none.
  private static func holdsOurDescriptors(_ directory: String) -> Bool? {
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
