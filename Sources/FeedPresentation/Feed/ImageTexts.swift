extension FeedText {
  /// What a screen reader says in an image's place: "Image: Brighton".
  ///
  /// - Parameter title: what the image is called or shows.
  public func imageAlternative(_ title: String) -> String { format(.imageTitle, title) }
}
