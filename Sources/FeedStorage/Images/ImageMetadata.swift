/// The properties given with an image when it is stored; all are optional.
public struct ImageMetadata: Hashable, Sendable {
  /// Its media type, such as `image/png`.
  public var contentType: String?
  /// The `ETag` validator from its server.
  public var entityTag: String?
  /// The `Last-Modified` validator from its server.
  public var lastModified: String?
  /// When it was fetched, in seconds since 2001-01-01T00:00:00Z; nil means now.
  public var fetchedReferenceSeconds: Double?
  /// When it expires, in the same unit; nil means never.
  public var expiryReferenceSeconds: Double?

  /// Creates metadata; without arguments, for an image that does not expire.
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

/// The properties of a stored image.
public struct ImageDescription: Hashable, Sendable {
  /// The complete URL under which it was stored.
  public let url: String
  /// The size of the image in bytes.
  public let byteCount: Int
  /// The XXH3-64 of the image's bytes.
  public let checksum: UInt64
  /// The metadata given when it was stored.
  public let metadata: ImageMetadata

  /// Whether it has expired at a time, in seconds since 2001-01-01T00:00:00Z. It is delivered only
  /// before its expiry.
  public func isExpired(at now: Double) -> Bool {
    metadata.expiryReferenceSeconds.map { !(now < $0) } ?? false
  }
}

/// A copy of an image from the store.
public struct StoredImage: Hashable, Sendable {
  /// The description of the image.
  public let description: ImageDescription
  /// The bytes of the image.
  public let bytes: [UInt8]
}

extension ImageDescription {
  /// The description after a server has confirmed that the same bytes are still current.
  package func renewed(_ metadata: ImageMetadata, now: Double) -> ImageDescription {
    var new = metadata
    new.contentType = metadata.contentType ?? self.metadata.contentType
    new.entityTag = metadata.entityTag ?? self.metadata.entityTag
    new.lastModified = metadata.lastModified ?? self.metadata.lastModified
    new.fetchedReferenceSeconds = metadata.fetchedReferenceSeconds ?? now
    return ImageDescription(url: url, byteCount: byteCount, checksum: checksum, metadata: new)
  }
}
