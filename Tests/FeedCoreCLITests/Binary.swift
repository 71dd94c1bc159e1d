#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The command line as it was built together with these tests.
enum Binary {
  struct NotFound: Error {
    let places: [String]
  }

  /// The path of `feedcore`, which stands beside the test bundle.
  static func path() throws -> String {
    let places = CommandLine.arguments.compactMap(beside)
    guard let path = places.first(where: { access($0, X_OK) == 0 }) else {
      throw NotFound(places: places)
    }
    return path
  }

  // `…/debug/FeedCorePackageTests.xctest`, with more behind it on macOS.
  private static func beside(_ argument: String) -> String? {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard let bundle = parts.firstIndex(where: { $0.hasSuffix(".xctest") }) else { return nil }
    return (parts[..<bundle] + ["feedcore"]).joined(separator: "/")
  }
}
