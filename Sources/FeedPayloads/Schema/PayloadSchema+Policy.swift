public import FeedFeature

extension PayloadSchema {
  /// The cache policy of the app that the payload comes from; `CachePolicy.essential` for a
  /// payload of one's own, and for the image feed, which two apps have.
  public var policy: CachePolicy { CachePolicy.preset(ofKind: name) }
}
