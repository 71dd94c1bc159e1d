/// The position of a `SCAN`: one of four parts of all keys, and a position within it. Its meaning
/// does not depend on what is published between two calls.
///
/// As an integer it has at most 50 bits, so that clients that store it in a floating-point number
/// do not round it.
struct ScanCursor: Hashable, Sendable {
  enum Part: UInt64 {
    /// The current generation and the description of every feed.
    case feeds
    /// The pages of each feed.
    case pages
    /// The keys of the records of each feed.
    case items
    case images
  }

  /// The number of upper bits of a hash that distinguish feeds. Feeds with equal bits are scanned
  /// together.
  static let feedBits: UInt64 = 16
  /// The number of upper bits of a URL's hash.
  static let imageBits = 48

  var part: Part
  /// The hash of the next feeds.
  var feedHash: UInt64
  /// The hash of the next record's key, or the number of the next page; for images, the hash of the
  /// URL.
  var place: UInt64

  init(_ part: Part, feedHash: UInt64 = 0, place: UInt64 = 0) {
    self.part = part
    self.feedHash = feedHash
    self.place = place
  }

  /// Nil for a number that no `SCAN` returns.
  init?(number: UInt64) {
    guard let part = Part(rawValue: number >> 48) else { return nil }
    self.part = part
    if part == .images {
      (feedHash, place) = (0, number & 0xFFFF_FFFF_FFFF)
    } else {
      (feedHash, place) = (number >> 32 & 0xFFFF, number & 0xFFFF_FFFF)
    }
  }

  /// 0 for the start; the protocol uses 0 for both start and end.
  var number: UInt64 { part.rawValue << 48 | feedHash << 32 | place }
}
