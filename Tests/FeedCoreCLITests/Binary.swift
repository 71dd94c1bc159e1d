import TestSupport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The program that was built together with these tests.
enum Binary {
  struct NotFound: Error {
    let directory: String?
  }

  /// The path of `feedcore`, which is in the directory of the test bundle.
  static func path() throws -> String {
    guard let directory = BuildProducts.directory, access("\(directory)/feedcore", X_OK) == 0
    else { throw NotFound(directory: BuildProducts.directory) }
    return "\(directory)/feedcore"
  }
}
