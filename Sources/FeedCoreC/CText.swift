import CFeedCore
import FeedStorage

/// A text in memory that C may read, with a zero behind it.
///
/// `@unchecked Sendable`: what it points to is written in `init` alone and freed in `deinit`, so that
/// threads only ever read it; those who lend it keep the object.
final class CText: @unchecked Sendable {
  let start: UnsafePointer<CChar>
  let count: Int

  convenience init(_ text: String) { self.init(Array(text.utf8)) }

  init(_ bytes: [UInt8]) {
    count = bytes.count
    let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() {
      (memory + index).initialize(to: CChar(bitPattern: byte))
    }
    (memory + bytes.count).initialize(to: 0)
    start = UnsafePointer(memory)
  }

  deinit { start.deallocate() }
}

/// What C passes in: a pointer and how many bytes lie there.
enum Input {
  /// Texts that are kept or given to the system are not longer.
  private static let textLimit = 1 << 20

  /// The bytes, for the time of the call; none for NULL and 0.
  static func bytes(
    _ start: UnsafeRawPointer?, _ count: Int, _ name: StaticString
  ) throws -> UnsafeRawBufferPointer {
    // A length over what Swift can count has come through as a negative one.
    guard count >= 0 else { throw Failure(FEEDCORE_MISUSE, "the length of \(name) is too large") }
    guard start != nil || count == 0 else {
      throw Failure(FEEDCORE_MISUSE, "\(name) is NULL and its length is not 0")
    }
    return UnsafeRawBufferPointer(start: start, count: count)
  }

  /// A text, which must be UTF-8.
  static func text(
    _ start: UnsafePointer<CChar>?, _ count: Int, _ name: StaticString
  ) throws -> String {
    let bytes = try bytes(start, count, name)
    guard count <= textLimit else {
      throw Failure(FEEDCORE_TOO_LARGE, "\(name) has \(count) bytes, more than \(textLimit)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(FEEDCORE_MISUSE, "\(name) is not UTF-8")
    }
    return text
  }

  /// The same; nil where it is empty.
  static func optionalText(
    _ start: UnsafePointer<CChar>?, _ count: Int, _ name: StaticString
  ) throws -> String? {
    let text = try text(start, count, name)
    return text.isEmpty ? nil : text
  }

  /// Refuses to wait for a feed where an ingest has called: it holds a feed's lock, so that nobody
  /// may wait for one in there.
  static func requireNoCallback() throws {
    guard !FeedLock.isDuringCallback else {
      throw Failure(
        FEEDCORE_MISUSE, "a callback of an ingest cannot wait for a feed; try without FEEDCORE_WAIT"
      )
    }
  }

  /// A path, which no zero may end early.
  static func path(_ start: UnsafePointer<CChar>?, _ count: Int) throws -> String {
    let path = try text(start, count, "the path")
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw Failure(FEEDCORE_MISUSE, "the path is empty or contains a zero")
    }
    return path
  }

  /// Flags, of which there must be no unknown ones.
  static func require(_ flags: UInt32, among known: UInt32...) throws {
    let all = known.reduce(0, |)
    guard flags & ~all == 0 else {
      throw Failure(FEEDCORE_MISUSE, "a flag is not one that this function knows")
    }
  }
}
