#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What is shown of the comments on an image.
public struct ImageCommentsViewModel: Sendable, Hashable {
  /// The comments, in their order.
  public let comments: [ImageCommentViewModel]
}

/// What is shown of a comment.
public struct ImageCommentViewModel: Sendable, Hashable, Identifiable {
  /// Tells the comment from all others.
  public let id: UUID
  /// What it says.
  public let message: String
  /// How long ago it was written: "5 minutes ago".
  public let date: String
  /// Who wrote it.
  public let username: String
}
