import ArgumentParser

/// Checks of paths on the command line.
enum GivenPath {
  /// - Throws: wrong usage if a path is empty, such as `"$FILE"` in a shell without that variable
  static func refuseEmpty(_ paths: [String?], _ name: String) throws {
    guard !paths.contains("") else { throw ValidationError("\(name): the path is empty") }
  }

  /// - Throws: wrong usage if standard input is given twice; the second time it would be empty
  static func refuseRepeatedInput(_ files: [String]) throws {
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("standard input can be read once")
    }
  }
}
