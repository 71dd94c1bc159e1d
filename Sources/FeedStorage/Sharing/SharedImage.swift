import FeedRecord
import LMDB

/// The row of an image as copies of a shared store exchange it.
///
/// It consists of the length of the row (u32, little-endian), the row, and the bytes of the image
/// if it is small. The bytes of a larger image are in chunks, whose keys have a number from the
/// row. For a removed image only the start of a row is stored, with the length 0.
package struct SharedImage: Hashable, Sendable {
  /// The maximum length of an image whose bytes follow its row.
  package static let inlineBytes = 64 << 10
  /// The length of a chunk. With its header it fits a class of the allocator of Redis.
  package static let chunkBytes = 65_520
  /// The length of the unique start of a row: the length of the row, the format, the store and the
  /// version.
  package static let stateBytes = 24
  private static let magic: UInt32 = 0x4D49_4346

  package enum Content: Hashable, Sendable {
    case inline([UInt8])
    /// The number in the chunks' keys.
    case chunks(UInt64)
  }

  package let description: ImageDescription
  package let content: Content
  /// A random number, which each change replaces.
  package let version: UInt64

  package init(
    _ description: ImageDescription, _ content: Content,
    version: UInt64 = .random(in: 1 ... .max)
  ) {
    self.description = description
    self.content = content
    self.version = version
  }

  /// The number of chunks; 0 for an image whose bytes follow its row.
  package var chunkCount: Int {
    guard case .chunks = content else { return 0 }
    return (description.byteCount + Self.chunkBytes - 1) / Self.chunkBytes
  }

  // MARK: Bytes

  /// The row of a removed image, which no other row equals.
  package static func tombstone(inStore store: UInt64) -> [UInt8] {
    var row = RowWriter()
    row.write(UInt32(0))
    row.write(magic)
    row.write(store)
    row.write(UInt64.random(in: 1 ... .max))
    return row.bytes
  }

  /// Whether these bytes are the row of a removed image.
  package static func isTombstone(_ bytes: RawSpan) -> Bool {
    bytes.byteCount == stateBytes && bytes.littleEndian(at: 0, as: UInt32.self) == 0
      && bytes.littleEndian(at: 4, as: UInt32.self) == magic
  }

  /// - Parameter store: the identifier of the shared store
  package func encoded(inStore store: UInt64) -> [UInt8] {
    var row = RowWriter()
    row.write(Self.magic)
    row.write(store)
    row.write(version)
    switch content {
    case .inline:
      row.write(UInt8(1))
      row.write(UInt64(0))
    case .chunks(let number):
      row.write(UInt8(2))
      row.write(number)
    }
    row.write(UInt64(description.byteCount))
    row.write(description.checksum)
    let metadata = description.metadata
    Self.write(metadata.fetchedReferenceSeconds, to: &row)
    Self.write(metadata.expiryReferenceSeconds, to: &row)
    row.write(description.url)
    row.write(metadata.contentType ?? "")
    row.write(metadata.entityTag ?? "")
    row.write(metadata.lastModified ?? "")
    let bytes = row.sealed()
    var head = RowWriter()
    head.write(UInt32(clamping: bytes.count))
    guard case .inline(let image) = content else { return head.bytes + bytes }
    return head.bytes + bytes + image
  }

  /// - Throws: `damaged`; `incompatible` for the row of another store
  package init(_ bytes: RawSpan, ofStore expected: UInt64) throws(StoreError) {
    guard let length = bytes.littleEndian(at: 0, as: UInt32.self),
      bytes.byteCount - 4 >= Int(length)
    else { throw RowReader.damaged }
    let end = 4 + Int(length)
    var row = try RowReader(bytes.extracting(4..<end))
    guard try row.read(UInt32.self) == Self.magic else { throw RowReader.damaged }
    guard try row.read(UInt64.self) == expected else {
      throw StoreError(.incompatible, "an image belongs to another shared store; fetch it again")
    }
    version = try row.read(UInt64.self)
    let form = try row.read(UInt8.self)
    let number = try row.read(UInt64.self)
    guard let byteCount = Int(exactly: try row.read(UInt64.self)),
      byteCount <= ImageFormat.maximumImageLimit
    else { throw RowReader.damaged }
    let checksum = try row.read(UInt64.self)
    var metadata = ImageMetadata()
    metadata.fetchedReferenceSeconds = try Self.date(&row)
    metadata.expiryReferenceSeconds = try Self.date(&row)
    let url = try row.text()
    guard url.utf8.count <= ImageFormat.urlLimit else { throw RowReader.damaged }
    metadata.contentType = try Self.text(&row)
    metadata.entityTag = try Self.text(&row)
    metadata.lastModified = try Self.text(&row)
    description = ImageDescription(
      url: url, byteCount: byteCount, checksum: checksum, metadata: metadata)
    let rest = Array(copying: bytes.extracting(end...))
    switch form {
    case 1:
      guard rest.count == byteCount, KeyHash.hash(rest.span.bytes) == checksum else {
        throw RowReader.damaged
      }
      content = .inline(rest)
    case 2: content = .chunks(number)
    default: throw RowReader.damaged
    }
  }

  /// Writes a finite date. Infinity is written as never, and NaN as a date in the past.
  private static func write(_ date: Double?, to row: inout RowWriter) {
    let date = date == .infinity ? nil : date
    row.write(UInt8(date == nil ? 0 : 1))
    row.write((date.map { $0.isFinite ? $0 : -.greatestFiniteMagnitude } ?? 0).bitPattern)
  }

  private static func date(_ row: inout RowReader) throws(StoreError) -> Double? {
    let isPresent = try row.read(UInt8.self) != 0
    let date = Double(bitPattern: try row.read(UInt64.self))
    guard date.isFinite else { throw RowReader.damaged }
    return isPresent ? date : nil
  }

  /// A text; nil for an empty one, as in the row of an image.
  private static func text(_ row: inout RowReader) throws(StoreError) -> String? {
    let text = try row.text()
    guard text.utf8.count <= ImageFormat.textLimit else { throw RowReader.damaged }
    return text.isEmpty ? nil : text
  }
}
