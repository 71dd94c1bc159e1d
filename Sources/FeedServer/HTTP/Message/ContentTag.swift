import FeedRecord

/// The entity tags of small documents that no generation stands for.
enum ContentTag {
  /// Tells a document from every other, but by bad luck in 2^64.
  static func text(_ bytes: [UInt8]) -> String {
    String(KeyHash.hash(bytes.span.bytes), radix: 36)
  }
}
