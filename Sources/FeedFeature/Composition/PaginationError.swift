/// Why there is no further page although the previous page announced one.
public enum PaginationError: ServiceFailure, Hashable, CustomStringConvertible {
  /// The next page was already loaded: the pages form a cycle.
  case circle

  /// False: the response violates the contract.
  public var isConnectivityFailure: Bool { false }

  public var description: String {
    switch self {
    case .circle: "The pages lead in a circle: the next one was loaded already."
    }
  }
}
