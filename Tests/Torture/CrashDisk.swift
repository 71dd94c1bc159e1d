import Foundation
import TestSupport

/// A model of a disk and its cache: the contents that a power cut may leave of a directory.
///
/// The model is stricter than any file system. Any sectors of unsynchronised writes may be present,
/// in any order. A directory entry is durable only after its directory is synchronised.
struct CrashDisk {
  private static let sector = 512

  private final class File {
    var durable: [UInt8] = []
    var pending: [Change] = []
  }

  private enum Change {
    case write(offset: Int, bytes: Range<Int>)
    /// A durable write, kept for its order among the other writes.
    case durableWrite(offset: Int, bytes: Range<Int>)
    case truncate(Int)
  }

  private final class Directory {
    var durable: [String: Node] = [:]
    var current: [String: Node] = [:]
    /// Each change affects one or two names at once. A crash keeps any prefix of the changes.
    var pending: [[(name: String, node: Node?)]] = []
  }

  private enum Node {
    case file(File)
    case directory(Directory)
  }

  private let root: String
  private let top = Directory()
  private var nodes: [UInt64: Node] = [:]
  private let data: [UInt8]

  /// - Parameter root: an existing, durable directory with the inode `inode`
  init(root: String, inode: UInt64, data: [UInt8]) {
    self.root = root
    self.data = data
    nodes[inode] = .directory(top)
  }

  // MARK: Before the crash

  mutating func apply(_ event: Recording.Event) throws {
    switch event {
    case .create(let inode, let path): try add(.file(File()), inode, path)
    case .makeDirectory(let inode, let path): try add(.directory(Directory()), inode, path)
    case .write(let inode, let offset, let bytes):
      try file(inode).pending.append(.write(offset: offset, bytes: bytes))
    case .durableWrite(let inode, let offset, let bytes):
      // The file's other writes may still be lost.
      try file(inode).pending.append(.durableWrite(offset: offset, bytes: bytes))
    case .truncate(let inode, let length): try file(inode).pending.append(.truncate(length))
    case .synchronize(let inode): synchronize(inode)
    case .rename(let from, let to):
      let (source, name) = try parent(of: from)
      let (target, newName) = try parent(of: to)
      guard source === target, let node = source.current.removeValue(forKey: name) else {
        throw TortureFailure("the recording renames \(from), which is not there")
      }
      source.current[newName] = node
      source.pending.append([(name, nil), (newName, node)])
    case .exchange(let first, let second):
      let (directory, name) = try parent(of: first)
      let (other, otherName) = try parent(of: second)
      guard directory === other, let node = directory.current[name],
        let otherNode = directory.current[otherName]
      else { throw TortureFailure("the recording exchanges \(first), which is not there") }
      directory.current[name] = otherNode
      directory.current[otherName] = node
      directory.pending.append([(name, otherNode), (otherName, node)])
    case .remove(let path):
      let (directory, name) = try parent(of: path)
      directory.current[name] = nil
      directory.pending.append([(name, nil)])
    case .acknowledged: break
    }
  }

  private mutating func add(_ node: Node, _ inode: UInt64, _ path: String) throws {
    let (directory, name) = try parent(of: path)
    directory.current[name] = node
    directory.pending.append([(name, node)])
    nodes[inode] = node
  }

  private func file(_ inode: UInt64) throws -> File {
    guard case .file(let file) = nodes[inode] else {
      throw TortureFailure("the recording writes to a file that it never made")
    }
    return file
  }

  private func parent(of path: String) throws -> (Directory, String) {
    var names = path.dropFirst(root.count).split(separator: "/").map(String.init)
    let name = names.popLast() ?? ""
    var directory = top
    for name in names {
      guard case .directory(let next) = directory.current[name] else {
        throw TortureFailure("the recording names \(path), which is not there")
      }
      directory = next
    }
    return (directory, name)
  }

  private func synchronize(_ inode: UInt64) {
    switch nodes[inode] {
    case .file(let file):
      for change in file.pending { apply(change, to: &file.durable) }
      file.pending = []
    case .directory(let directory):
      directory.durable = directory.current
      directory.pending = []
    case nil: break
    }
  }

  private func apply(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .write(let offset, let range), .durableWrite(let offset, let range):
      Self.write(data[range], at: offset, &bytes)
    case .truncate(let length): Self.resize(&bytes, to: length)
    }
  }

  private static func write(_ bytes: ArraySlice<UInt8>, at offset: Int, _ file: inout [UInt8]) {
    if file.count < offset + bytes.count { resize(&file, to: offset + bytes.count) }
    file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
  }

  private static func resize(_ file: inout [UInt8], to length: Int) {
    if file.count > length {
      file.removeSubrange(length...)
    } else {
      file += repeatElement(0, count: length - file.count)
    }
  }

  /// Throws unless a file has the complete recorded contents.
  func requireAll(of path: String) throws {
    let (directory, name) = try parent(of: path)
    guard case .file(let file) = directory.current[name] else {
      throw TortureFailure("the recording does not make \(path)")
    }
    var bytes = file.durable
    for change in file.pending { apply(change, to: &bytes) }
    try demand(
      bytes == [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))),
      "\(path) is not what was recorded: something writes past the recording")
  }

  // MARK: After the crash

  /// Writes a state in which the directory may be after a power cut.
  func write(to path: String, using random: inout SeededGenerator) throws {
    // The share of unsynchronised changes that is kept: little in one state, nearly all in another.
    let share = [0.0, 0.1, 0.5, 0.9, 1.0].randomElement(using: &random) ?? 0.5
    try write(top, path, share, &random)
  }

  private func write(
    _ directory: Directory, _ path: String, _ share: Double, _ random: inout SeededGenerator
  ) throws {
    guard mkdir(path, 0o700) == 0 else { throw TortureFailure("cannot make \(path)") }
    var entries = directory.durable
    for change in directory.pending.prefix(
      Int.random(in: 0...directory.pending.count, using: &random))
    {
      for (name, node) in change { entries[name] = node }
    }
    for (name, node) in entries.sorted(by: { $0.key < $1.key }) {
      switch node {
      case .directory(let next): try write(next, "\(path)/\(name)", share, &random)
      case .file(let file):
        let bytes = name == "lock.mdb" ? garbage(&random) : contents(file, share, &random)
        try Self.write(bytes, to: "\(path)/\(name)")
      }
    }
  }

  private func contents(
    _ file: File, _ share: Double, _ random: inout SeededGenerator
  ) -> [UInt8] {
    var bytes = file.durable
    for change in file.pending {
      if case .durableWrite = change {
        apply(change, to: &bytes)
      } else if Double.random(in: 0..<1, using: &random) < share {
        apply(change, to: &bytes)
      } else if case .write(let offset, let range) = change, Bool.random(using: &random) {
        tear(offset, range, &bytes, &random)
      }
    }
    return bytes
  }

  /// Applies some sectors of the write, and perhaps the new length of the file.
  private func tear(
    _ offset: Int, _ range: Range<Int>, _ bytes: inout [UInt8], _ random: inout SeededGenerator
  ) {
    if Bool.random(using: &random), bytes.count < offset + range.count {
      Self.resize(&bytes, to: offset + range.count)
    }
    var done = 0
    while done < range.count {
      let size = min(Self.sector - (offset + done) % Self.sector, range.count - done)
      if Bool.random(using: &random) {
        let start = range.lowerBound + done
        Self.write(data[start..<start + size], at: offset + done, &bytes)
      }
      done += size
    }
  }

  /// The reader table is shared memory that is never synchronised.
  private func garbage(_ random: inout SeededGenerator) -> [UInt8] {
    let length = [0, 100, 4096, 8192].randomElement(using: &random) ?? 0
    return (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    defer { close(descriptor) }
    guard descriptor >= 0, Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw TortureFailure("cannot write \(path): error \(errno)")
    }
  }
}
