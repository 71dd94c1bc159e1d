import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The three descriptors that a process is born with.
enum StandardStreams {
  /// Makes them safe to use. To be called before anything is opened.
  ///
  /// A missing one is taken by a null device that refuses every use, or the store's own file
  /// would get its number, and what is printed would be written into the store. A closed pipe
  /// must be an error of `write`, not the end of a process that may be about to publish, and so
  /// must a file that has reached the size that it may have. Ctrl-\ ends it, where Swift's runtime
  /// would have it told as a crash and go on.
  static func prepare() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    if !Interruption.isIgnored(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
  }

  /// Writes one line to standard error; nobody can be told if that fails.
  static func complain(_ message: String) {
    let errors = Output(STDERR_FILENO, name: "stderr")
    errors.write(TerminalText.escaped(message) + "\n")
    errors.drain()
  }

  /// True if a person reads what is complained about.
  static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// True if what is printed goes to a terminal.
  static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// The width of the terminal on standard output; nil where there is none.
  static var columns: Int? {
    guard isOutputTerminal else { return nil }
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? Int(size.ws_col) : 120
  }
}
