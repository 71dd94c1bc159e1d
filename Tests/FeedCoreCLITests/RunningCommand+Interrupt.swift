import Foundation
import TestSupport

extension RunningCommand {
  /// Returns once the process has a handler for Ctrl-C.
  func waitUntilItHandlesInterrupts() throws {
    #if os(Linux)
      let path = "/proc/\(process)/status"
      while isRunning {
        let status = try String(contentsOfFile: path, encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
        let mask = line.flatMap { UInt64($0.dropFirst(7).drop { $0 == "\t" }, radix: 16) } ?? 0
        if mask & 1 << (UInt64(SIGINT) - 1) != 0 { return }
      }
    #else
      usleep(500_000)
    #endif
  }
}
