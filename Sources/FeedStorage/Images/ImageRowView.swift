import LMDB

/// A validated view of an image's row in the map. Its texts are copied only on request.
struct ImageRowView: ~Escapable {
  /// A number unique to this insertion.
  let generation: UInt64
  /// Its position in the ring.
  let sequence: UInt64
  let byteCount: Int
  /// The checksum of the image's bytes.
  let checksum: UInt64
  /// The checksum of the row.
  let seal: UInt64
  private let fetched: Double
  /// Infinity means never.
  let expiry: Double
  private let url: UTF8Span
  private let contentType: UTF8Span
  private let entityTag: UTF8Span
  private let lastModified: UTF8Span

  /// - Throws: `damaged`; `incompatible` if a newer version wrote the row
  @_lifetime(copy bytes)
  init(_ bytes: RawSpan) throws(StoreError) {
    var reader = try RowReader(bytes)
    guard try reader.read(UInt16.self) == ImageRow.version else {
      throw StoreError(.incompatible, "a newer version of FeedCore wrote this image; use that one")
    }
    generation = try reader.read(UInt64.self)
    sequence = try reader.read(UInt64.self)
    guard let byteCount = Int32(exactly: try reader.read(UInt64.self)).map(Int.init) else {
      throw RowReader.damaged
    }
    self.byteCount = byteCount
    checksum = try reader.read(UInt64.self)
    fetched = Double(bitPattern: try reader.read(UInt64.self))
    expiry = Double(bitPattern: try reader.read(UInt64.self))
    url = try reader.utf8()
    contentType = try reader.utf8()
    entityTag = try reader.utf8()
    lastModified = try reader.utf8()
    seal = reader.seal
  }

  /// Whether it is the row of a URL, byte for byte.
  func isOf(_ url: RawSpan) -> Bool { self.url.span.bytes.isEqual(to: url) }

  /// The key of the row, computed from its URL.
  func key(_ hash: (RawSpan) -> UInt128) -> ImageKey { ImageKey(hash(url.span.bytes)) }

  /// Whether it has expired. Reads the time only if needed.
  func isExpired(at now: () -> Double) -> Bool {
    expiry != .infinity && !(now() < expiry)
  }

  var description: ImageDescription {
    ImageDescription(
      url: String(copying: url), byteCount: byteCount, checksum: checksum, metadata: metadata)
  }

  var metadata: ImageMetadata {
    ImageMetadata(
      contentType: Self.text(contentType), entityTag: Self.text(entityTag),
      lastModified: Self.text(lastModified), fetchedReferenceSeconds: fetched,
      expiryReferenceSeconds: expiry == .infinity ? nil : expiry)
  }

  /// An empty text means nil.
  private static func text(_ text: UTF8Span) -> String? {
    text.isEmpty ? nil : String(copying: text)
  }
}
