import ArgumentParser

/// Checks of image URLs on the command line.
enum GivenURL {
  /// - Throws: wrong usage if it is empty, such as `"$URL"` in a shell without that variable
  static func refuseEmpty(_ url: String) throws {
    guard !url.isEmpty else { throw ValidationError("<url>: the URL is empty") }
  }
}
