import CFeedTools

/// How a program ends when it reads a damaged memory map.
package enum DamagedStore {
  /// Makes SIGSEGV, SIGBUS and SIGABRT end the process with one line on standard error and a
  /// status.
  ///
  /// - Parameter line: without a line feed
  package static func endProcess(saying line: String, status: Int32) {
    _ = feedtools_end_on_damage(line, status)
  }
}
