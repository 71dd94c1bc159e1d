/// The result of a request with validators.
public enum RemoteAnswer<Content> {
  /// The current resource.
  case modified(Content, ResponseMetadata)
  /// The resource still matches the validators (304); nothing was transferred. The metadata holds
  /// the validators to store.
  case notModified(ResponseMetadata)

  /// The content, if it is new.
  public var content: Content? {
    switch self {
    case .modified(let content, _): content
    case .notModified: nil
    }
  }

  /// What the response states about the content.
  public var metadata: ResponseMetadata {
    switch self {
    case .modified(_, let metadata), .notModified(let metadata): metadata
    }
  }
}

extension RemoteAnswer: Sendable where Content: Sendable {}
extension RemoteAnswer: Equatable where Content: Equatable {}
