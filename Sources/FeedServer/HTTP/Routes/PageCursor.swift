import FeedStorage

#if Server
  import HTTPTypes
#endif

/// The position of the next page of a feed: a generation, and the number of its records before the
/// page.
struct PageCursor: Sendable, Hashable, CustomStringConvertible {
  let generation: UInt64
  let position: Int

  init(generation: UInt64, position: Int) {
    self.generation = generation
    self.position = position
  }

  /// Parses the form that `description` writes. Any well-formed text is accepted; numbers that are
  /// never reached match no generation. Nil for anything else.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isWellFormed = parts.allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { Self.digits.contains($0) }
    }
    guard parts.count == 2, isWellFormed else { return nil }
    self.init(
      generation: UInt64(parts[0], radix: 36) ?? .max, position: Int(parts[1], radix: 36) ?? .max)
  }

  private static let digits = Set("0123456789abcdefghijklmnopqrstuvwxyz".utf8)

  var description: String {
    "\(String(generation, radix: 36)).\(String(position, radix: 36))"
  }
}

#if Server
  extension PageCursor {
    /// The position of the page that a request asks for; 0 without a cursor.
    ///
    /// - Throws: ``Problem`` 400 for a malformed cursor, 410 if the feed was replaced since
    static func position(
      _ request: APIRequest, in feed: FeedDescription
    ) throws(Problem) -> Int {
      guard let text = request.target["cursor"] else { return 0 }
      guard let cursor = PageCursor(text) else {
        throw .parameter("cursor", "the cursor of a next link")
      }
      guard cursor.generation == feed.generation, cursor.position <= feed.recordCount else {
        throw Problem(.gone, "the feed was replaced; begin again with its first page")
      }
      return cursor.position
    }
  }
#endif
