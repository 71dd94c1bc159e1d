import LMDB

/// An image's row where it lies in the map, proved to be whole; its texts are copied for those
/// alone who ask for them.
struct ImageRowView: ~Escapable {
  /// A number that no other insertion has.
  let generation: UInt64
  /// Its place in the ring.
  let sequence: UInt64
  let byteCount: Int
  /// That of the image's bytes.
  let checksum: UInt64
  /// That of the row itself.
  let seal: UInt64
  private let fetched: Double
  /// Infinity for never.
  let expiry: Double
  private let url: UTF8Span
  private let contentType: UTF8Span
  private let entityTag: UTF8Span
  private let lastModified: UTF8Span

  /// - Throws: `damaged`; `incompatible` where a newer version wrote the row
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

  /// The key under which the row belongs.
  func key(_ hash: (RawSpan) -> UInt128) -> ImageKey { ImageKey(hash(url.span.bytes)) }

  /// Whether it is delivered no more. The time is asked for only where it matters.
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

  /// No text stands for none.
  private static func text(_ text: UTF8Span) -> String? {
    text.isEmpty ? nil : String(copying: text)
  }
}
