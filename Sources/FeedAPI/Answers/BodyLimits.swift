/// How long a response's body may be. A longer one is refused as soon as that is known.
public struct BodyLimits: Sendable, Hashable {
  /// Bytes of the body as it comes over the wire.
  public var receivedBytes: Int
  /// Bytes of its content, once a content coding such as gzip is undone.
  public var contentBytes: Int

  /// Makes limits.
  public init(receivedBytes: Int, contentBytes: Int) {
    self.receivedBytes = receivedBytes
    self.contentBytes = contentBytes
  }

  /// One limit for both.
  public init(bytes: Int) { self.init(receivedBytes: bytes, contentBytes: bytes) }

  /// 64 MiB: for what is held in memory as bytes, such as an image or a page.
  public static let resource = BodyLimits(bytes: 64 << 20)
  /// 1 GiB: for what becomes an array of models.
  public static let array = BodyLimits(bytes: 1 << 30)
  /// 64 GiB: for what is passed on as it comes and held by nobody.
  public static let stream = BodyLimits(bytes: 64 << 30)
}
