#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The view model of the comments on an image.
public struct ImageCommentsViewModel: Sendable, Hashable {
  /// The comments, in their order.
  public let comments: [ImageCommentViewModel]
}

/// The view model of a comment.
public struct ImageCommentViewModel: Sendable, Hashable, Identifiable {
  /// The unique id of the comment.
  public let id: UUID
  /// The text of the comment.
  public let message: String
  /// The age of the comment: "5 minutes ago".
  public let date: String
  /// The author.
  public let username: String
}
