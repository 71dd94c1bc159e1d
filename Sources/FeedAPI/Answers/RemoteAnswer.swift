/// What a request with validators comes to.
public enum RemoteAnswer<Content> {
  /// The resource as it is now.
  case modified(Content, ResponseMetadata)
  /// It is still what the validators tell of (304); nothing was transferred. The validators in
  /// the metadata are the ones to keep.
  case notModified(ResponseMetadata)

  /// The content, if there is a new one.
  public var content: Content? {
    switch self {
    case .modified(let content, _): content
    case .notModified: nil
    }
  }

  /// What the response says of the content.
  public var metadata: ResponseMetadata {
    switch self {
    case .modified(_, let metadata), .notModified(let metadata): metadata
    }
  }
}

extension RemoteAnswer: Sendable where Content: Sendable {}
extension RemoteAnswer: Equatable where Content: Equatable {}
