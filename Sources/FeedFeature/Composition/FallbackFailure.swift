/// A failure that a composition with a fallback met, told as it happens to whoever keeps a log or
/// shows why a cached feed is seen.
public enum FallbackFailure: Sendable {
  /// What was asked first has failed; the fallback is asked now.
  case primary(any Error)
  /// The fallback has failed, too.
  case fallback(any Error)
}

/// What a composition makes of a fallback that has no items.
public enum EmptyFallback: Sendable, Hashable {
  /// The error of what was asked first is delivered: offline with an empty or expired cache, the
  /// customer sees an error message, as the scenarios of all documents want it.
  case primaryError
  /// An empty feed is delivered, without an error, as Essential App's code does.
  case delivered
}
