#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A copy of the files that a process would leave if it were killed now.
enum Image {
  struct Failure: Error {}

  /// Copies the directories in `source` and their files. Names that contain this process's number
  /// get one that no process has.
  static func take(of source: String, in target: String) throws {
    for directory in names(in: source) {
      let renamed = directory.split(separator: ".").map { part in
        part == "\(getpid())" ? "99999999" : String(part)
      }.joined(separator: ".")
      guard mkdir(target + "/" + renamed, 0o700) == 0 else { throw Failure() }
      for file in names(in: source + "/" + directory) where file != "lock.mdb" {
        try copy(source + "/" + directory + "/" + file, to: target + "/" + renamed + "/" + file)
      }
    }
  }

  private static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  private static func copy(_ source: String, to target: String) throws {
    guard let input = fopen(source, "r"), let output = fopen(target, "w") else { throw Failure() }
    defer {
      fclose(input)
      fclose(output)
    }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&buffer, 1, buffer.count, input)
      if count == 0 { return }
      guard fwrite(buffer, 1, count, output) == count else { throw Failure() }
    }
  }
}
