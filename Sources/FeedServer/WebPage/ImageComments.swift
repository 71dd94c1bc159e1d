#if Server
  import FeedAPI
  import FeedCore
  import FeedFeature
  import FeedStorage
  import Threading

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// An image, whose comments are requested from the service of a feed.
  struct ImageOfFeed: Hashable, Sendable {
    let id: UUID
    let feed: FeedName
  }

  extension ServerContext {
    /// The maximum number of comments that are shown.
    private static let commentLimit = 200

    /// The comments on an image: from the feed `comments-` and its id if it exists, else from the
    /// service of the image's own feed. Nil if neither is known.
    func comments(onImage id: UUID, of name: FeedName) async throws -> [ImageComment]? {
      if let loaded = try await commentsFeed(ofImage: id.uuidString) {
        return try storedComments(loaded.feed)
      }
      // The page with the image must not wait for the whole request timeout.
      return try await serviceComments(
        onImage: id, of: name, within: configuration.requestTimeout / 2)
    }

    /// The comments on an image from the service of its feed; nil if it has none. They are never
    /// stored, so the call fails if the service cannot be reached (Essential App, "Image Comments
    /// Feature Specs"). Concurrent calls share one request.
    func serviceComments(
      onImage id: UUID, of name: FeedName, within limit: Duration
    ) async throws -> [ImageComment]? {
      guard let source = sources[name], let client, let base = Self.base(of: source.url) else {
        return nil
      }
      let comments = try await Deadline.value(within: limit) { [commentRequests] in
        try await commentRequests.value(for: ImageOfFeed(id: id, feed: name)) {
          try await RemoteImageCommentsLoader(baseURL: base, client: client).loadDetail(for: id)
        }
      }
      guard let comments else {
        throw RemoteError(
          resource: name.text,
          .transport(TransportError(.timeout, "the comments did not arrive within \(limit)")))
      }
      return comments
    }

    /// The feed `comments-` and the id of an image, in upper or lower case; nil if there is none.
    func commentsFeed(ofImage id: String) async throws -> LoadedFeed? {
      for text in [id, id.lowercased()] {
        let name = try FeedName("comments-\(text)")
        try await store.copies.copyIfAbsent(name)
        let exists = try store.database.feedDescription(named: name)?.presetName == "comments"
        if exists || sources[name] != nil { return try await feeds.feed(named: name) }
      }
      return nil
    }

    private func storedComments(_ feed: Feed) throws -> [ImageComment] {
      var comments: [ImageComment] = []
      try feed.forEach(ImageComment.self, limit: Self.commentLimit) { comments.append($0) }
      return comments
    }

    /// The part of the URL before the path of the feed's own endpoint.
    private static func base(of url: URL) -> URL? {
      guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
      let path = parts.percentEncodedPath
      parts.percentEncodedPath = path.hasSuffix("/v1/feed") ? String(path.dropLast(8)) : ""
      parts.percentEncodedQuery = nil
      return parts.url
    }
  }
#endif
