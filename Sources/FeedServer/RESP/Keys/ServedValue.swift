import FeedStorage

/// Whether a key holds something.
enum ServedPresence {
  case absent
  /// Until when in seconds since 2001-01-01T00:00:00Z, with infinity for no end.
  case until(Double)
  /// As of a ``ServedValue``.
  case unfinished
}

/// What a key holds.
enum ServedValue {
  /// Something that is made for the answer.
  case bytes([UInt8])
  /// An image, which stays in the store until it is sent.
  case image(ImageDescription)
  /// A page so far behind those that are known that it takes further steps to find it.
  case unfinished

  /// The length of the value; 0 where it is not known.
  var byteCount: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .image(let description): description.byteCount
    case .unfinished: 0
    }
  }
}
