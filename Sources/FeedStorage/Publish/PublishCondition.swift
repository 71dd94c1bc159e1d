/// The condition under which an ingest may change a feed. It protects against overwriting a feed
/// that was published since the caller last read it.
public enum PublishCondition: Hashable, Sendable {
  /// No condition.
  case always
  /// The feed's generation is still this one.
  case generation(UInt64)
  /// There is no such feed.
  case absent

  /// - Parameter current: the feed's generation; nil if there is no such feed.
  /// - Throws: `conflict`.
  func require(_ current: UInt64?, of name: FeedName) throws(StoreError) {
    switch (self, current) {
    case (.always, _), (.absent, nil): return
    case (.generation(let wanted), let current?) where wanted == current: return
    case (.generation(let wanted), let current?):
      throw StoreError(
        .conflict,
        "the feed \(name) has generation \(current) now, not \(wanted); read it again")
    case (.generation(let wanted), nil):
      throw StoreError(
        .conflict, "the feed \(name) no longer exists, but generation \(wanted) is required")
    case (.absent, let current?):
      throw StoreError(
        .conflict, "the feed \(name) exists already, with generation \(current)")
    }
  }
}
