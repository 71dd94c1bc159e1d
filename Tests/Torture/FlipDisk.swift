import Foundation

/// The original files of a store whose bits are flipped.
struct FlipDisk {
  private let files: [Flip.File: [UInt8]]
  private let maps: [Flip.File: PageMap]

  /// - Parameter store: must not be open anywhere
  init(reading store: String) throws {
    var files: [Flip.File: [UInt8]] = [:]
    for file in Flip.File.allCases {
      let path = "\(store)/\(file.rawValue)"
      files[file] = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    self.files = files
    maps = files.filter { [.data, .images].contains($0.key) }.mapValues(PageMap.init)
  }

  func bytes(of file: Flip.File) -> [UInt8] { files[file] ?? [] }

  func map(of file: Flip.File) -> PageMap { maps[file] ?? PageMap(bytes(of: file)) }

  func name(of region: PageMap.Region, in file: Flip.File) -> String {
    file == .images ? "images' \(region.name)" : region.name
  }

  /// The names of all kinds of place.
  var names: [String] {
    Set(maps.flatMap { file, map in map.regions.map { name(of: $0, in: file) } }).sorted()
  }

  /// Restores the original files in a directory.
  func restore(_ directory: String) throws {
    for file in Flip.File.allCases {
      let (path, bytes) = ("\(directory)/\(file.rawValue)", bytes(of: file))
      let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
      defer { close(descriptor) }
      try demand(
        ftruncate(descriptor, off_t(bytes.count)) == 0
          && pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
        "cannot write \(path): \(errno)")
    }
  }

  func apply(_ flip: Flip, in directory: String) {
    let descriptor = open("\(directory)/\(flip.file.rawValue)", O_WRONLY)
    defer { close(descriptor) }
    var byte = bytes(of: flip.file)[flip.offset] ^ flip.bit
    pwrite(descriptor, &byte, 1, off_t(flip.offset))
  }

  /// Writes all files to a directory.
  func write(to directory: String) throws {
    for name in ["feeds", "images"] {
      try FileManager.default.createDirectory(
        atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
    }
    try restore(directory)
  }
}
