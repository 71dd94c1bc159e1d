/// Which statuses mean that a response contains the requested resource.
public enum StatusRule: Sendable, Hashable {
  /// Exactly 200: feeds and images (Essential App, "200 RESPONSE").
  case ok
  /// 200 to 299: comments (Essential App, "2xx RESPONSE").
  case successful

  /// True if a status is one of them.
  public func accepts(_ status: Int) -> Bool {
    switch self {
    case .ok: status == 200
    case .successful: (200...299).contains(status)
    }
  }
}
