import CFeedCore
import JSONStream

/// What a descriptor of C's holds, read to its end.
struct DescriptorInput: ~Copyable {
  /// How far it has been read.
  struct Progress {
    var inputBytes = 0
    var totalBytes = 0
  }

  private let source: InputSource

  /// - Parameter name: what errors call it.
  init(_ descriptor: CInt, name: String) throws(JSONError) {
    source = try InputSource(descriptor: descriptor, name: name)
  }

  /// Gives all of it, inflated, piece by piece; an empty piece says that nothing has come for a while.
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
