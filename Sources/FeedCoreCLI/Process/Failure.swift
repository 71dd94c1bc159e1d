import FeedCore
import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Why a command ends early: one line for a person, and the exit status.
struct Failure: Error {
  let status: ExitStatus
  /// Empty if there is nothing to report.
  let message: String
  /// The text around the fault, for a person at a terminal.
  let excerpt: String?

  init(_ status: ExitStatus, _ message: String = "", excerpt: String? = nil) {
    self.status = status
    self.message = message
    self.excerpt = excerpt
  }

  static let interrupted = Failure(.interrupted, "interrupted")

  /// A file could not be created or written, with the reason of an error number.
  init(writing path: String, _ number: CInt) {
    self.init(.failedIO, "\(path): \(String(cString: strerror(number)))")
  }

  /// Nil for an error of another module, such as wrong usage that ArgumentParser reports.
  init?(known error: any Error) {
    switch error {
    case let error as Failure: self = error
    case let error as JSONError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as IngestError: self.init(error)
    case let error as RemoteError: self.init(error)
    case is CancellationError: self = .interrupted
    default: return nil
    }
  }

  /// Any error, such as the system's for an address that cannot be bound.
  init(any error: any Error) {
    self = Failure(known: error) ?? Failure(.failedIO, "\(error)")
  }

  /// Writes the failure to standard error: one line, and on a terminal the excerpt below it.
  func report() {
    guard !message.isEmpty else { return }
    StandardStreams.complain(message)
    guard let excerpt, StandardStreams.isErrorTerminal else { return }
    for line in excerpt.split(separator: "\n") { StandardStreams.complain("  \(line)") }
  }
}

extension JSONError {
  /// The excerpt and, below it, a caret under the fault, for a terminal, on which some characters
  /// occupy two columns; nil for an error without an excerpt.
  var excerptForTerminal: String? {
    guard !excerpt.isEmpty else { return nil }
    let column = TextWidth.of(String(excerpt.prefix(excerptCaret)))
    return excerpt + "\n" + String(repeating: " ", count: column) + "^"
  }
}
