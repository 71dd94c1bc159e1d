import FeedStorage

/// Whether a key has a value.
enum ServedPresence {
  case absent
  /// The expiry in seconds since 2001-01-01T00:00:00Z; infinity for none.
  case until(Double)
  /// See ``ServedValue/unfinished``.
  case unfinished
}

/// The value of a key.
enum ServedValue {
  /// A value that is made for the response.
  case bytes([UInt8])
  /// An image, which stays in the store until it is sent.
  case image(ImageDescription)
  /// A page so far after the known ones that finding it takes further steps.
  case unfinished

  /// The length of the value; 0 if it is not known.
  var byteCount: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .image(let description): description.byteCount
    case .unfinished: 0
    }
  }
}
