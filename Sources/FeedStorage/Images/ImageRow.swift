import LMDB

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
    ImageRow(
      generation: generation, sequence: sequence,
      description: description.renewed(metadata, now: now))
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

/// The key of an image: the 128-bit hash of its URL.
struct ImageKey: Hashable, Sendable {
  let hash: UInt128

  init(_ hash: UInt128) { self.hash = hash }

  /// The image key at the beginning of a key of `images` or `bodies`; nil if it is too short.
  init?(_ bytes: RawSpan) {
    guard let hash = bytes.bigEndian(at: 0, as: UInt128.self) else { return nil }
    self.hash = hash
  }

  /// Big-endian, so that keys sort like hashes.
  var bytes: InlineArray<2, UInt64> {
    [UInt64(truncatingIfNeeded: hash >> 64).bigEndian, UInt64(truncatingIfNeeded: hash).bigEndian]
  }

  /// The key of a chunk of the image's body, also big-endian.
  func chunk(_ number: UInt32) -> InlineArray<5, UInt32> {
    [word(3), word(2), word(1), word(0), number.bigEndian]
  }

  /// A quarter of the hash, counted from the least significant one.
  @inline(__always)
  private func word(_ index: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: hash >> (32 * UInt128(index))).bigEndian
  }
}
