package import FeedTools

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A terminal whose screen a test can read.
package final class PseudoTerminal {
  package struct Unavailable: Error {}

  private let screen: CInt
  /// The descriptor that a program writes to.
  package let terminal: CInt

  package init(columns: UInt16) throws {
    screen = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    guard let name = Self.terminalName(ofScreen: screen) else { throw Unavailable() }
    terminal = open(name, O_RDWR | O_NOCTTY)
    guard terminal >= 0 else { throw Unavailable() }
    resize(columns: columns)
  }

  deinit {
    close(terminal)
    close(screen)
  }

  package func progress(terminalType: String? = "xterm") throws -> TerminalProgress {
    let progress = TerminalProgress(
      totalBytes: 10_000_000, fileDescriptor: terminal, terminalType: terminalType)
    guard let progress else { throw Unavailable() }
    return progress
  }

  package func resize(columns: UInt16) {
    var size = winsize()
    size.ws_col = columns
    size.ws_row = 24
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
  }

  /// The output since the last call.
  ///
  /// The system forwards output asynchronously. This writes a mark after the output and reads up to
  /// the mark.
  package func output() -> String {
    let mark: UInt8 = 0x7C
    _ = [mark].withUnsafeBytes { write(terminal, $0.baseAddress, $0.count) }
    var output: [UInt8] = []
    var byte: UInt8 = 0
    while read(screen, &byte, 1) == 1, byte != mark {
      output.append(byte)
    }
    return String(decoding: output, as: UTF8.self)
  }

  #if canImport(Darwin)
    private static func terminalName(ofScreen screen: CInt) -> String? {
      guard grantpt(screen) == 0, unlockpt(screen) == 0, let name = ptsname(screen) else {
        return nil
      }
      return String(cString: name)
    }
  #else
    /// Replaces `unlockpt` and `ptsname`, which the Glibc module does not export to Swift.
    private static func terminalName(ofScreen screen: CInt) -> String? {
      let setLock: UInt = 0x4004_5431  // TIOCSPTLCK
      let getNumber: UInt = 0x8004_5430  // TIOCGPTN
      var lock: CInt = 0
      var number: CUnsignedInt = 0
      guard ioctl(screen, setLock, &lock) == 0, ioctl(screen, getNumber, &number) == 0 else {
        return nil
      }
      return "/dev/pts/\(number)"
    }
  #endif
}
