import FeedRecord
import FeedStorage
import Foundation
import TestSupport

/// The golden image stores: made once in each version of the format, never changed, and read by
/// every later one. `scripts/make-golden` made them.
enum GoldenImages: String, CaseIterable {
  /// Images of every size and with all metadata, and an expired one. Small ones fill the tables up to
  /// branch pages. One was replaced, and one removed.
  case whole = "images-v2"

  /// The recorded properties of an image.
  struct Image: Codable, Hashable {
    var url: String
    var bytes: Int
    /// XXH3-64 of the image, in decimal digits.
    var checksum: String
    var contentType: String?
    var entityTag: String?
    var lastModified: String?
    var fetched: Double?
    var expires: Double?

    init(_ image: ImageDescription) {
      url = image.url
      bytes = image.byteCount
      checksum = "\(image.checksum)"
      contentType = image.metadata.contentType
      entityTag = image.metadata.entityTag
      lastModified = image.metadata.lastModified
      fetched = image.metadata.fetchedReferenceSeconds
      expires = image.metadata.expiryReferenceSeconds
    }
  }

  private var directory: URL {
    GoldenStore.root.appending(path: "Tests/FeedStorageTests/Golden/\(rawValue)")
  }

  /// The recorded properties of its images, by URL.
  func images() throws -> [Image] { try Self.images(in: directory) }

  static func images(in directory: URL) throws -> [Image] {
    let text = try String(contentsOf: directory.appending(path: "images.ndjson"), encoding: .utf8)
    return try text.split(separator: "\n").map { line in
      try JSONDecoder().decode(Image.self, from: Data(line.utf8))
    }
  }

  /// The images of a store, by URL.
  static func images(of store: ImageStore) throws -> [Image] {
    var images: [Image] = []
    try store.forEachImage { image in
      images.append(Image(image))
      return true
    }
    return images.sorted { $0.url < $1.url }
  }

  /// A copy to open, because opening a store writes files next to it.
  func copy() throws -> TemporaryDirectory {
    let copy = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: copy.path + "/images", withIntermediateDirectories: false)
    try FileManager.default.copyItem(
      at: directory.appending(path: "images/data.mdb"),
      to: URL(filePath: copy.path + "/images/data.mdb"))
    return copy
  }
}

extension GoldenImages {
  /// Makes the image store of this version.
  static func make(at path: String) throws -> ImageStore {
    var options = ImageStore.Options(byteCap: 8 << 20)
    options.now = { 1_000 }
    let store = try ImageStore.open(at: path, options: options)
    func insert(_ name: String, _ count: Int, _ metadata: ImageMetadata = .init()) throws {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
      try store.insert(bytes.span.bytes, for: "https://example.com/" + name, metadata)
    }
    try insert("replaced.png", 20_000)
    try insert(
      "replaced.png", 5_000,
      ImageMetadata(
        contentType: "image/png", entityTag: "\"ü\"", lastModified: "Wed, 21 Oct 2015 07:28:00 GMT",
        fetchedReferenceSeconds: 12.5, expiryReferenceSeconds: 1e11))
    try insert("empty", 0)
    // This image has two chunks, and its row does not fit into a page with other rows.
    try insert("large?" + String(repeating: "é", count: 1_500), 270_000)
    try insert("expired.png", 100, ImageMetadata(expiryReferenceSeconds: 2_000))
    try insert("removed.png", 100)
    try store.remove("https://example.com/removed.png")
    let type = ImageMetadata(contentType: "image/" + String(repeating: "x", count: 150))
    for number in 10..<60 { try insert("small-\(number).png", number, type) }
    return store
  }

  /// Copies the data file in its current state and records its contents.
  static func write(_ store: ImageStore, to directory: URL) throws {
    let images = directory.appending(path: "images")
    let manager = FileManager.default
    try manager.createDirectory(at: images, withIntermediateDirectories: true)
    try manager.copyItem(
      at: URL(filePath: store.directory + "/images/data.mdb"),
      to: images.appending(path: "data.mdb"))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var list = Data()
    for image in try self.images(of: store) { list += try encoder.encode(image) + [0x0A] }
    try list.write(to: directory.appending(path: "images.ndjson"))
  }
}
