extension FeedText {
  /// The text of a screen reader for an image: "Image: Brighton".
  ///
  /// - Parameter title: the title or description of the image.
  public func imageAlternative(_ title: String) -> String { format(.imageTitle, title) }
}
