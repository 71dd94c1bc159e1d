import FeedRecord

/// The entity tags of small documents that belong to no generation.
enum ContentTag {
  /// Distinguishes a document from any other, except for a collision in 2^64.
  static func text(_ bytes: [UInt8]) -> String {
    String(KeyHash.hash(bytes.span.bytes), radix: 36)
  }
}
