/// A failure within a composition with a fallback. It is reported when it occurs, for example to a
/// log or to a view that explains why a cached feed is shown.
public enum FallbackFailure: Sendable {
  /// The primary loader has failed; the fallback is tried next.
  case primary(any Error)
  /// The fallback has failed, too.
  case fallback(any Error)
}

/// How a composition handles a fallback without items.
public enum EmptyFallback: Sendable, Hashable {
  /// Delivers the primary loader's error. Offline with an empty or expired cache, the customer sees
  /// an error message, as the scenarios of all documents require.
  case primaryError
  /// Delivers an empty feed without an error, as Essential App's code does.
  case delivered
}
