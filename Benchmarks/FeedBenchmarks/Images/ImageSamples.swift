import Foundation

/// Incompressible images of 50 000 bytes, each with its URL.
struct ImageSamples {
  static let byteCount = 50_000

  let urls: [String]
  let images: [Data]
  /// The same images for the peers in C.
  let entries: Entries

  init(count: Int) {
    urls = (0..<count).map { "https://example.com/images/\($0).png" }
    images = urls.map { _ in
      Data((0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max) })
    }
    var entries = Entries()
    for (url, image) in zip(urls, images) { entries.append(key: Array(url.utf8), value: image) }
    self.entries = entries
  }

  /// Shows that images were read, by their number and a few bytes of each.
  struct Witness {
    private(set) var proof = Proof(records: 0, sum: 0)

    /// Adds an image from the buffer that it was copied to.
    mutating func see(_ image: UnsafeRawBufferPointer) {
      proof.records? += 1
      proof.sum? += UInt64(image.count)
      for index in stride(from: 0, to: image.count, by: 4_096) {
        proof.sum? += UInt64(image[index])
      }
    }
  }
}
