import ArgumentParser

/// URLs of images as they stand on the command line.
enum GivenURL {
  /// - Throws: wrong usage where it is empty, as `"$URL"` is in a shell that knows no URL
  static func refuseEmpty(_ url: String) throws {
    guard !url.isEmpty else { throw ValidationError("<url>: the URL is empty") }
  }
}
