import FeedStorage

/// An image that is sent piece by piece. Between two pieces nothing is held of it.
struct ImageTransfer {
  /// How it was when its first piece was sent, and what is still to be sent.
  struct Begun {
    let checksum: UInt64
    let byteCount: Int
    var rest: Range<Int>
  }

  /// What has become of a piece.
  enum Step {
    /// There is no such image.
    case missing
    case finished
    case unfinished
    /// The image is another one, and of the old one a part was sent.
    case replaced
  }

  let url: String
  let slice: ByteSlice
  var begun: Begun?
}

/// A part of a value as `GETRANGE` names it: both ends are within, and count from the end of the
/// value if they are negative.
struct ByteSlice {
  var first = 0
  var last = -1

  static let whole = ByteSlice()

  func range(of count: Int) -> Range<Int> {
    // Far outside in any case; the sum would overflow.
    func place(_ index: Int) -> Int { index < 0 ? max(index, -count - 1) + count : index }
    if first < 0, last < 0, first > last { return 0..<0 }
    let start = max(place(first), 0)
    let end = min(max(place(last), 0), count - 1)
    return start > end ? 0..<0 : start..<end + 1
  }
}
