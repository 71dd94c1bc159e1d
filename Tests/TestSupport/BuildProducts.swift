/// The build directory of the running tests, with the other build products.
package enum BuildProducts {
  /// Nil if the arguments of the process do not name it.
  package static let directory: String? = CommandLine.arguments.lazy.compactMap(above).first

  // `…/debug/FeedCorePackageTests.xctest`, with more behind it on macOS.
  private static func above(_ argument: String) -> String? {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard let bundle = parts.firstIndex(where: { $0.hasSuffix(".xctest") }) else { return nil }
    return parts[..<bundle].joined(separator: "/")
  }
}
