import CFeedCore
import FeedStorage
import JSONStream

/// Converts arguments of C: a pointer and the number of bytes at it.
enum Input {
  /// The maximum length of a text that is stored or passed to the system.
  private static let textLimit = 1 << 20

  /// The bytes, for the duration of the call; empty for NULL and 0.
  static func bytes(
    _ start: UnsafeRawPointer?, _ count: Int, _ name: StaticString
  ) throws -> UnsafeRawBufferPointer {
    // A length larger than `Int.max` arrives as a negative number.
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

  /// The same; nil if it is empty.
  static func optionalText(
    _ start: UnsafePointer<CChar>?, _ count: Int, _ name: StaticString
  ) throws -> String? {
    let text = try text(start, count, name)
    return text.isEmpty ? nil : text
  }

  /// Throws if called from an ingest's callback. The ingest holds a feed's lock, so waiting for a
  /// feed there could deadlock.
  static func requireNoCallback() throws {
    guard !FeedLock.isDuringCallback else {
      throw Failure(
        FEEDCORE_MISUSE, "a callback of an ingest cannot wait for a feed; try without FEEDCORE_WAIT"
      )
    }
  }

  /// A path, which must not contain a zero byte.
  static func path(_ start: UnsafePointer<CChar>?, _ count: Int) throws -> String {
    let path = try text(start, count, "the path")
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw Failure(FEEDCORE_MISUSE, "the path is empty or contains a zero")
    }
    return path
  }

  /// A struct of this version or an earlier one, in which missing members are zero. Rejects a
  /// struct of a later version if it sets a member that this version would ignore.
  ///
  /// Safety: the size is the first member in every version, and states how many bytes are valid.
  ///
  /// - Parameters:
  ///   - minimum: the size of the first version.
  ///   - value: a struct of this version, all zero.
  ///   - initializer: the macro that sets the size.
  static func versioned<Value>(
    _ source: UnsafeRawPointer, minimum: Int, into value: Value, _ initializer: StaticString
  ) throws -> Value {
    let size = source.loadUnaligned(as: Int.self)
    let known = MemoryLayout<Value>.size
    guard size >= minimum, size <= 4096 else {
      throw Failure(
        FEEDCORE_MISUSE, "the size of the options is \(size); set it with \(initializer)")
    }
    guard
      UnsafeRawBufferPointer(start: source, count: size).dropFirst(known)
        .allSatisfy({ $0 == 0 })
    else {
      throw Failure(FEEDCORE_MISUSE, "an option is not one that this version knows")
    }
    var value = value
    withUnsafeMutableBytes(of: &value) { bytes in
      bytes.copyMemory(from: UnsafeRawBufferPointer(start: source, count: min(size, known)))
    }
    return value
  }

  /// Throws if unknown flags are set.
  static func require(_ flags: UInt32, among known: UInt32...) throws {
    let all = known.reduce(0, |)
    guard flags & ~all == 0 else {
      throw Failure(FEEDCORE_MISUSE, "a flag is not one that this function knows")
    }
  }
}

/// The input from a file descriptor, read to its end.
struct DescriptorInput: ~Copyable {
  /// The progress of reading.
  struct Progress {
    var inputBytes = 0
    var totalBytes = 0
  }

  private let source: InputSource

  /// - Parameter name: the name of the input in errors.
  init(_ descriptor: CInt, name: String) throws(JSONError) {
    source = try InputSource(descriptor: descriptor, name: name)
  }

  /// Passes all of the input, decompressed, in chunks. An empty chunk means that nothing has
  /// arrived for a while.
  func forEachChunk(_ body: (UnsafeRawBufferPointer, Progress) throws -> Void) throws {
    let ahead = try source.readAhead()
    var progress = Progress(inputBytes: 0, totalBytes: source.fileByteCount ?? 0)
    while true {
      switch try ahead.next() {
      case .segment(let segment):
        progress.inputBytes = ahead.bytesTaken
        try body(UnsafeRawBufferPointer(segment.bytes), progress)
        ahead.recycle(segment)
      case .nothingYet: try body(UnsafeRawBufferPointer(start: nil, count: 0), progress)
      case .end: return
      }
    }
  }
}
