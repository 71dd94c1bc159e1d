import CFeedCore
import JSONStream

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
  func forEachPiece(_ body: (UnsafeRawBufferPointer, Progress) throws -> Void) throws {
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
