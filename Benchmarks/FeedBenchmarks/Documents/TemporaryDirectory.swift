import Foundation

/// A new directory in the system's temporary directory, removed with the object.
final class TemporaryDirectory {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("feedcore-benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of an entry of the directory.
  func file(_ name: String) -> String { path + "/" + name }
}
