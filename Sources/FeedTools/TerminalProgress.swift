#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A progress line on a terminal, which is redrawn while an ingest runs and disappears after it.
///
/// It starts no thread and reads no clock: its owner passes the time, as often as it likes. A
/// failed write is ignored, since an ingest should not fail because of its progress line.
package struct TerminalProgress: ~Copyable, Sendable {
  private static let interval = Duration.milliseconds(100)

  private let fileDescriptor: CInt
  private let totalBytes: Int?
  /// When the line was last drawn, or zero. It is not a `ContinuousClock.Instant`: the
  /// deinitializer of a structure that contains one is never called from another module (Swift
  /// 6.3.1).
  private var lastDrawing = Duration.zero
  private var isDrawn = false

  /// Nil if `fileDescriptor` is not a terminal, or one that cannot clear a line (`TERM=dumb`).
  ///
  /// - Parameters:
  ///   - totalBytes: The size of the whole input, nil if unknown.
  ///   - fileDescriptor: Standard error by default.
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

  /// Draws the line, unless the last one is younger than 100 ms: then it costs only a comparison.
  ///
  /// - Parameters:
  ///   - bytes: the bytes read, decompressed.
  ///   - fileBytes: the bytes consumed of the files, which are `totalBytes` long; nil if it is the
  ///     same.
  ///   - elapsed: The time since the work began, on a monotonic clock. The first line appears at
  ///     100 ms, so a short ingest draws none.
  package mutating func update(
    bytes: Int, fileBytes: Int? = nil, records: Int, elapsed: Duration
  ) {
    let totalBytes = totalBytes
    update(elapsed: elapsed) { columns in
      let reading = ProgressBar(
        bytes: bytes, fileBytes: fileBytes, records: records, totalBytes: totalBytes,
        elapsedSeconds: elapsed / .seconds(1))
      return reading.line(columns: columns)
    }
  }

  /// The same with another line, which must be shorter than the number of columns passed to it.
  package mutating func update(elapsed: Duration, _ line: (Int) -> String) {
    guard elapsed - lastDrawing >= Self.interval else { return }
    lastDrawing = elapsed
    Self.emit(Self.clearing + line(columns), to: fileDescriptor)
    isDrawn = true
  }

  /// Removes the line, such as before a message; the next update draws it again.
  package mutating func clear() {
    guard isDrawn else { return }
    Self.emit(Self.clearing, to: fileDescriptor)
    isDrawn = false
  }

  /// Back to the first column, then erase to the end of the line (ECMA-48, EL).
  private static let clearing = "\r\u{1B}[K"

  /// Read for every line, so that it follows a resized window.
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
