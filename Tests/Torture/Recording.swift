import Foundation

/// The system calls of processes below one directory, in order, from the preload library.
struct Recording {
  enum Event {
    case create(inode: UInt64, path: String)
    case write(inode: UInt64, offset: Int, bytes: Range<Int>)
    /// A write that is durable when it returns.
    case durableWrite(inode: UInt64, offset: Int, bytes: Range<Int>)
    case synchronize(inode: UInt64)
    case truncate(inode: UInt64, length: Int)
    case rename(from: String, to: String)
    case exchange(String, String)
    case makeDirectory(inode: UInt64, path: String)
    case remove(path: String)
    /// The harness was told that a step of the workload is done.
    case acknowledged
  }

  private static let acknowledgement: UInt32 = 200
  private static let headerSize = 32

  let data: [UInt8]
  let events: [Event]

  init(_ path: String) throws {
    data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var events: [Event] = []
    var position = 0
    while position + Self.headerSize <= data.count {
      let length = Int(Self.number(data, position + 24))
      let end = position + Self.headerSize + length
      guard end <= data.count else { break }
      events.append(try Self.event(data, at: position, end: end))
      position = end
    }
    guard position == data.count else { throw TortureFailure("the recording \(path) is cut off") }
    self.events = events
  }

  /// Adds an acknowledgement to a recording that is being made.
  static func acknowledge(_ path: String) throws {
    var header = [UInt8](repeating: 0, count: headerSize)
    header[0] = UInt8(acknowledgement)
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: header)
    try handle.close()
  }

  private static func number(_ data: [UInt8], _ position: Int) -> UInt64 {
    data.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: UInt64.self) }
  }

  // The layout and the numbers of `struct record` in preload.h.
  private static func event(_ data: [UInt8], at position: Int, end: Int) throws -> Event {
    let operation = UInt32(truncatingIfNeeded: number(data, position))
    let inode = number(data, position + 8)
    let offset = Int(number(data, position + 16))
    let bytes = position + headerSize..<end
    let paths = data[bytes].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    switch operation {
    case 1: return .create(inode: inode, path: paths[0])
    case 2: return .write(inode: inode, offset: offset, bytes: bytes)
    case 3: return .durableWrite(inode: inode, offset: offset, bytes: bytes)
    case 4: return .synchronize(inode: inode)
    case 5: return .truncate(inode: inode, length: offset)
    case 6: return .rename(from: paths[0], to: paths[1])
    case 7: return .makeDirectory(inode: inode, path: paths[0])
    case 8: return .remove(path: paths[0])
    case 9: return .exchange(paths[0], paths[1])
    case acknowledgement: return .acknowledged
    default: throw TortureFailure("the recording holds an operation \(operation)")
    }
  }
}
