import FeedTools
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Terminal progress")
struct TerminalProgressTests {
  @Test("nothing is drawn in the first 100 ms, nor twice within 100 ms")
  func throttling() throws {
    let terminal = try PseudoTerminal(columns: 70)
    var progress = try terminal.progress()
    progress.update(bytes: 1_000_000, records: 1, elapsed: .milliseconds(99))
    #expect(terminal.output().isEmpty)
    progress.update(bytes: 2_000_000, records: 2, elapsed: .milliseconds(100))
    #expect(terminal.output().contains("2 records"))
    progress.update(bytes: 3_000_000, records: 3, elapsed: .milliseconds(199))
    #expect(terminal.output().isEmpty)
    progress.update(bytes: 4_000_000, records: 4, elapsed: .milliseconds(200))
    #expect(terminal.output().contains("4 records"))
  }

  @Test("a line replaces the one before and follows the width of the window")
  func redrawing() throws {
    let terminal = try PseudoTerminal(columns: 30)
    var progress = try terminal.progress()
    progress.update(bytes: 5_000_000, records: 7, elapsed: .seconds(1))
    #expect(terminal.output() == "\r\u{1B}[K 50%  5 MB/s  0:01 left")
    terminal.resize(columns: 45)
    progress.update(bytes: 5_000_000, records: 8, elapsed: .seconds(5))
    #expect(terminal.output() == "\r\u{1B}[K 50%  5.0 MB  8 records  1 MB/s  0:05 left")
  }

  @Test("the line is erased once, when it is cleared or released")
  func clearing() throws {
    let terminal = try PseudoTerminal(columns: 60)
    do {
      var progress = try terminal.progress()
      progress.clear()
      #expect(terminal.output().isEmpty)
      progress.update(bytes: 1, records: 1, elapsed: .seconds(1))
      _ = terminal.output()
      progress.clear()
      #expect(terminal.output() == "\r\u{1B}[K")
      progress.update(bytes: 1, records: 1, elapsed: .seconds(2))
    }
    let output = terminal.output()
    #expect(output.contains("1 record "))
    #expect(output.hasSuffix("left\r\u{1B}[K"))
  }

  @Test("output that is not a terminal gets no progress")
  func noTerminal() throws {
    let descriptor = open("/dev/null", O_WRONLY)
    defer { close(descriptor) }
    let progress = TerminalProgress(totalBytes: 1, fileDescriptor: descriptor)
    let isMissing = progress == nil
    #expect(isMissing)
  }

  @Test("a terminal that cannot clear a line gets no progress")
  func dumbTerminal() throws {
    let terminal = try PseudoTerminal(columns: 60)
    #expect(throws: PseudoTerminal.Unavailable.self) {
      _ = try terminal.progress(terminalType: "dumb")
    }
  }
}
