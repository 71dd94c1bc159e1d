public import FeedFeature

extension PayloadSchema {
  /// The cache policy of the app whose payload this is. It is `CachePolicy.essential` for a custom
  /// payload, and for the image feed, which two apps share.
  public var policy: CachePolicy { CachePolicy.preset(ofKind: name) }
}
