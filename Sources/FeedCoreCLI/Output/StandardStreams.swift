import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The three standard descriptors of a process.
enum StandardStreams {
  /// Prepares them. Must be called before any file is opened.
  ///
  /// A missing one is replaced by a null device that rejects every use. Otherwise the store's own
  /// file could get its number, and output would be written into the store. A closed pipe must be
  /// an error of `write`, not the end of a process that may be about to publish. The same holds for
  /// a file at its size limit. Ctrl-\ ends the process; Swift's runtime would report it as a crash
  /// and continue.
  static func prepare() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    if !Interruption.isIgnored(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
  }

  /// Writes one line to standard error; a failure to do so is ignored.
  static func complain(_ message: String) {
    let errors = Output(STDERR_FILENO, name: "stderr")
    errors.write(TerminalText.escaped(message) + "\n")
    errors.drain()
  }

  /// True if standard error is a terminal.
  static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// True if standard output is a terminal.
  static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// The width of the terminal on standard output; nil if it is not one.
  static var columns: Int? {
    guard isOutputTerminal else { return nil }
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? Int(size.ws_col) : 120
  }
}

/// Emphasis on a terminal, by ECMA-48 (SGR). There is none if NO_COLOR has a value
/// (https://no-color.org), or on a terminal without a type or of the type `dumb`.
enum TerminalStyle {
  static let isOn = StandardStreams.isOutputTerminal && isWanted

  static func heading(_ text: String) -> String {
    isOn && !text.isEmpty ? "\u{1B}[1;4m\(text)\u{1B}[0m" : text
  }

  static func faint(_ text: String) -> String { isOn ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

  private static var isWanted: Bool {
    if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
    guard let type = getenv("TERM"), type.pointee != 0 else { return false }
    return strcmp(type, "dumb") != 0
  }
}
