import ArgumentParser

/// Paths as they stand on the command line.
enum GivenPath {
  /// - Throws: wrong usage where one is empty, as `"$FILE"` is in a shell that knows no FILE
  static func refuseEmpty(_ paths: [String?], _ name: String) throws {
    guard !paths.contains("") else { throw ValidationError("\(name): the path is empty") }
  }

  /// - Throws: wrong usage where standard input is named twice, which would be empty the second time
  static func refuseRepeatedInput(_ files: [String]) throws {
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("standard input can be read once")
    }
  }
}
