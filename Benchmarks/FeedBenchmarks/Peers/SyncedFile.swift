import Foundation

/// What apps do with a plain file that has to last.
enum SyncedFile {
  /// Writes a new file and has its bytes reach the disk. Its entry in the directory is not synced.
  static func write(_ data: Data, to path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { throw ContestError("\(path) cannot be written") }
    try file.write(contentsOf: data)
    try file.synchronize()
    try file.close()
  }
}
