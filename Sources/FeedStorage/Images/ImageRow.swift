/// The stored properties of an image, without its bytes.
///
/// Little-endian: version u16, generation u64, sequence u64, image bytes u64, their XXH3-64 u64,
/// fetched and expiry as the bits of doubles (seconds since 2001-01-01T00:00:00Z, infinity for
/// never), then URL, content type, ETag and Last-Modified, each as its length (u32) and its UTF-8,
/// and finally the XXH3-64 of the row so far.
struct ImageRow: Hashable, Sendable {
  /// A number unique to this insertion.
  let generation: UInt64
  /// Its position in the ring.
  var sequence: UInt64
  let description: ImageDescription

  /// The row after a server has confirmed that the same bytes are still current.
  func renewed(_ metadata: ImageMetadata, now: Double) -> ImageRow {
    let old = description.metadata
    var new = metadata
    new.contentType = metadata.contentType ?? old.contentType
    new.entityTag = metadata.entityTag ?? old.entityTag
    new.lastModified = metadata.lastModified ?? old.lastModified
    new.fetchedReferenceSeconds = metadata.fetchedReferenceSeconds ?? now
    return ImageRow(
      generation: generation, sequence: sequence,
      description: ImageDescription(
        url: description.url, byteCount: description.byteCount, checksum: description.checksum,
        metadata: new))
  }
}

extension ImageRow {
  static let version: UInt16 = 1

  func encoded() -> [UInt8] {
    let metadata = description.metadata
    var writer = RowWriter()
    writer.write(Self.version)
    writer.write(generation)
    writer.write(sequence)
    writer.write(UInt64(clamping: description.byteCount))
    writer.write(description.checksum)
    writer.write((metadata.fetchedReferenceSeconds ?? 0).bitPattern)
    writer.write((metadata.expiryReferenceSeconds ?? .infinity).bitPattern)
    writer.write(description.url)
    writer.write(metadata.contentType ?? "")
    writer.write(metadata.entityTag ?? "")
    writer.write(metadata.lastModified ?? "")
    return writer.sealed()
  }

  /// - Throws: `damaged`; `incompatible` if a newer version wrote the row
  init(_ bytes: RawSpan) throws(StoreError) { self.init(try ImageRowView(bytes)) }

  init(_ row: ImageRowView) {
    self.init(
      generation: row.generation, sequence: row.sequence, description: row.description)
  }
}
