import FeedStorage

/// An image that is sent in chunks. No part of it is in memory between two chunks.
struct ImageTransfer {
  /// The image's properties when its first chunk was sent, and the remaining range.
  struct Begun {
    let checksum: UInt64
    let byteCount: Int
    var rest: Range<Int>
  }

  /// The result of sending a chunk.
  enum Step {
    /// There is no such image.
    case missing
    case finished
    case unfinished
    /// The image was replaced after a part of the old one was sent.
    case replaced
  }

  let url: String
  let slice: ByteSlice
  var begun: Begun?
}

/// A part of a value in the form of `GETRANGE`: both ends are inclusive, and negative ones count
/// from the end.
struct ByteSlice {
  var first = 0
  var last = -1

  static let whole = ByteSlice()

  func range(of count: Int) -> Range<Int> {
    // Clamped, because the sum would overflow. The index is out of range in any case.
    func place(_ index: Int) -> Int { index < 0 ? max(index, -count - 1) + count : index }
    if first < 0, last < 0, first > last { return 0..<0 }
    let start = max(place(first), 0)
    let end = min(max(place(last), 0), count - 1)
    return start > end ? 0..<0 : start..<end + 1
  }
}
