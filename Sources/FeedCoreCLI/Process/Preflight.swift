#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Checks the environment in which the program is started.
enum Preflight {
  /// The descriptors that the most demanding command opens before its work: those of the store, of
  /// event loops and of waiting threads. Some of these end the process if they cannot open a
  /// descriptor.
  private static let descriptors = 48

  /// - Throws: exit status 64 for names that are not text, 74 if too few files can be opened.
  static func verify() throws(Failure) {
    try verifyNames()
    try verifyDescriptors()
  }

  /// Swift repairs a name that is not UTF-8. The result would be the name of another file.
  private static func verifyNames() throws(Failure) {
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = CommandLine.unsafeArgv[index] else { continue }
      try requireText(argument, "argument \(index)")
    }
    for name in ["FEEDCORE_STORE", "HOME", "XDG_CACHE_HOME", "TMPDIR"] {
      if let value = getenv(name) { try requireText(value, "the value of \(name)") }
    }
    guard let directory = getcwd(nil, 0) else { return }
    defer { free(directory) }
    try requireText(directory, "the path of the working directory")
  }

  private static func requireText(
    _ bytes: UnsafePointer<CChar>, _ what: String
  ) throws(Failure) {
    guard String(validatingCString: bytes) == nil else { return }
    throw Failure(
      .usage, "\(what) is not UTF-8, which is required here: \(String(cString: bytes))")
  }

  private static func verifyDescriptors() throws(Failure) {
    var taken: [CInt] = []
    while taken.count < descriptors {
      let descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
      guard descriptor >= 0 else { break }
      taken.append(descriptor)
    }
    for descriptor in taken { close(descriptor) }
    guard taken.count == descriptors else {
      throw Failure(
        .failedIO,
        "too few files can be opened: \(descriptors) more are needed, the system allows"
          + " \(taken.count); raise the limit (ulimit -n)")
    }
  }
}
