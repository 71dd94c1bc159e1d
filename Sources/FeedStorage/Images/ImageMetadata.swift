/// What is told of an image when it is stored; all of it can be left out.
public struct ImageMetadata: Hashable, Sendable {
  /// Its media type, such as `image/png`.
  public var contentType: String?
  /// The validator that its server sent as `ETag`.
  public var entityTag: String?
  /// The validator that its server sent as `Last-Modified`.
  public var lastModified: String?
  /// When it was fetched, in seconds since 2001-01-01T00:00:00Z; nil stands for now.
  public var fetchedReferenceSeconds: Double?
  /// From when on it is not delivered any more, in the same seconds; nil stands for never.
  public var expiryReferenceSeconds: Double?

  /// Makes metadata; without arguments, of an image that does not expire.
  public init(
    contentType: String? = nil, entityTag: String? = nil, lastModified: String? = nil,
    fetchedReferenceSeconds: Double? = nil, expiryReferenceSeconds: Double? = nil
  ) {
    self.contentType = contentType
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.fetchedReferenceSeconds = fetchedReferenceSeconds
    self.expiryReferenceSeconds = expiryReferenceSeconds
  }
}

/// What the store knows of an image.
public struct ImageDescription: Hashable, Sendable {
  /// The whole URL under which it was stored.
  public let url: String
  /// The bytes of the image.
  public let byteCount: Int
  /// XXH3-64 of these bytes.
  public let checksum: UInt64
  /// What was told when it was stored.
  public let metadata: ImageMetadata

  /// Whether it has expired at a time, in seconds since 2001-01-01T00:00:00Z: it is delivered only
  /// before its expiry.
  public func isExpired(at now: Double) -> Bool {
    metadata.expiryReferenceSeconds.map { !(now < $0) } ?? false
  }
}

/// An image, copied out of the store.
public struct StoredImage: Hashable, Sendable {
  /// What is known of it.
  public let description: ImageDescription
  /// The image itself.
  public let bytes: [UInt8]
}
