import CFeedTools

/// What becomes of a program that reads a damaged memory map.
package enum DamagedStore {
  /// Has SIGSEGV, SIGBUS and SIGABRT end the process with one line on standard error and a status.
  ///
  /// - Parameter line: without a line feed
  package static func endProcess(saying line: String, status: Int32) {
    _ = feedtools_end_on_damage(line, status)
  }
}
