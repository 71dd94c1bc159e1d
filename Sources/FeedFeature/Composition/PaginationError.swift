/// Why there is no further page, though the one before says that there is.
public enum PaginationError: ServiceFailure, Hashable, CustomStringConvertible {
  /// The next page is one that was loaded already: the pages lead in a circle.
  case circle

  /// False: what came is not what was agreed.
  public var isConnectivityFailure: Bool { false }

  public var description: String {
    switch self {
    case .circle: "The pages lead in a circle: the next one was loaded already."
    }
  }
}
