/// The directory in which the tests that are running were built, with all that was built beside them.
package enum BuildProducts {
  /// Nil where the tests were started in a way that does not tell.
  package static let directory: String? = CommandLine.arguments.lazy.compactMap(above).first

  // `…/debug/FeedCorePackageTests.xctest`, with more behind it on macOS.
  private static func above(_ argument: String) -> String? {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard let bundle = parts.firstIndex(where: { $0.hasSuffix(".xctest") }) else { return nil }
    return parts[..<bundle].joined(separator: "/")
  }
}
