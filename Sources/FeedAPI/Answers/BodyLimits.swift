/// The maximum length of a response's body. A longer body is refused as soon as its length is
/// known.
public struct BodyLimits: Sendable, Hashable {
  /// Bytes of the body as received.
  public var receivedBytes: Int
  /// Bytes of the content, after decoding a content coding such as gzip.
  public var contentBytes: Int

  /// Makes limits.
  public init(receivedBytes: Int, contentBytes: Int) {
    self.receivedBytes = receivedBytes
    self.contentBytes = contentBytes
  }

  /// The same limit for both.
  public init(bytes: Int) { self.init(receivedBytes: bytes, contentBytes: bytes) }

  /// 64 MiB: for content that is held in memory as bytes, such as an image or a page.
  public static let resource = BodyLimits(bytes: 64 << 20)
  /// 1 GiB: for content that becomes an array of models.
  public static let array = BodyLimits(bytes: 1 << 30)
  /// 4 GiB: for a feed that goes into a database.
  public static let feed = BodyLimits(bytes: 4 << 30)
  /// 64 GiB: for content that is passed on as it arrives and not held in memory.
  public static let stream = BodyLimits(bytes: 64 << 30)
}
