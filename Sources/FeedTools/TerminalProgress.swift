#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A line on a terminal that is drawn over and over while an ingest runs, and disappears after it.
///
/// It starts no thread and reads no clock: its owner tells it the time, as often as it likes.
/// A write that fails is passed over, since nobody's ingest should fail over its progress line.
package struct TerminalProgress: ~Copyable, Sendable {
  private static let interval = Duration.milliseconds(100)

  private let fileDescriptor: CInt
  private let totalBytes: Int?
  /// When the line was last drawn, or zero. No `ContinuousClock.Instant`: the deinitializer of a
  /// structure that holds one is never called from another module (Swift 6.3.1).
  private var lastDrawing = Duration.zero
  private var isDrawn = false

  /// Nil where `fileDescriptor` is no terminal, or one that cannot clear a line (`TERM=dumb`).
  ///
  /// - Parameters:
  ///   - totalBytes: The size of the whole input, nil if unknown.
  ///   - fileDescriptor: Standard error unless told otherwise.
  ///   - terminalType: The value of `TERM`.
  package init?(
    totalBytes: Int?, fileDescriptor: CInt = STDERR_FILENO,
    terminalType: String? = getenv("TERM").map { String(cString: $0) }
  ) {
    guard isatty(fileDescriptor) == 1, terminalType != "dumb" else { return nil }
    self.fileDescriptor = fileDescriptor
    self.totalBytes = totalBytes
  }

  deinit {
    if isDrawn { Self.emit(Self.clearing, to: fileDescriptor) }
  }

  /// Draws the line, unless the last one is younger than 100 ms: then it costs a comparison.
  ///
  /// - Parameters:
  ///   - bytes: what has been read, decompressed.
  ///   - fileBytes: what has been taken of the files, which are `totalBytes` long; nil where it
  ///     is the same.
  ///   - elapsed: The time since the work began, on a clock that never goes back. The first line
  ///     appears at 100 ms, so that a short ingest draws none.
  package mutating func update(
    bytes: Int, fileBytes: Int? = nil, records: Int, elapsed: Duration
  ) {
    let totalBytes = totalBytes
    update(elapsed: elapsed) { columns in
      let reading = ProgressReading(
        bytes: bytes, fileBytes: fileBytes, records: records, totalBytes: totalBytes,
        elapsedSeconds: elapsed / .seconds(1))
      return reading.line(columns: columns)
    }
  }

  /// The same with a line of another kind, which must be shorter than the columns it is told.
  package mutating func update(elapsed: Duration, _ line: (Int) -> String) {
    guard elapsed - lastDrawing >= Self.interval else { return }
    lastDrawing = elapsed
    Self.emit(Self.clearing + line(columns), to: fileDescriptor)
    isDrawn = true
  }

  /// Takes the line away, as before a message; the next update draws it again.
  package mutating func clear() {
    guard isDrawn else { return }
    Self.emit(Self.clearing, to: fileDescriptor)
    isDrawn = false
  }

  /// Back to the first column, then erase to the end of the line (ECMA-48, EL).
  private static let clearing = "\r\u{1B}[K"

  /// Asked anew for every line, so that it follows a window that is resized.
  private var columns: Int {
    var size = winsize()
    let isKnown = ioctl(fileDescriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? Int(size.ws_col) : 80
  }

  private static func emit(_ text: String, to fileDescriptor: CInt) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(fileDescriptor, $0.baseAddress, $0.count) }
      if written > 0 {
        rest.removeFirst(written)
      } else if written == 0 || errno != EINTR {
        return
      }
    }
  }
}
