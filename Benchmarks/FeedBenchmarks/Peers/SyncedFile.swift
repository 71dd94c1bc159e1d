import Foundation

/// Writes plain files durably, as apps do.
enum SyncedFile {
  /// Writes and syncs a new file. Its directory entry is not synced.
  static func write(_ data: Data, to path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { throw ContestError("\(path) cannot be written") }
    try file.write(contentsOf: data)
    try file.synchronize()
    try file.close()
  }
}
