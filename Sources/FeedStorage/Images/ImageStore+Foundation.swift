#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// The same operations with Foundation's types. A URL is looked up by its absolute text.
extension ImageStore {
  /// Stores an image; see ``insert(_:for:_:)-(RawSpan,_,_)``.
  public func insert(
    _ data: Data, for url: URL, _ metadata: ImageMetadata = ImageMetadata()
  ) throws(StoreError) {
    try insert(data.bytes, for: url.absoluteString, metadata)
  }

  /// Copies an image from the store; nil if there is none with this URL, or it has expired.
  public func retrieve(dataForURL url: URL) throws(StoreError) -> Data? {
    try withImageData(for: url.absoluteString) { chunks throws(StoreError) in
      var data = Data(capacity: chunks.byteCount)
      while let piece = try chunks.next() {
        piece.withUnsafeBytes { data.append(contentsOf: $0) }
      }
      return data
    }
  }

  /// Updates the metadata of an image; see ``renew(_:metadata:)-(String,_)``.
  @discardableResult
  public func renew(_ url: URL, metadata: ImageMetadata) throws(StoreError) -> Bool {
    try renew(url.absoluteString, metadata: metadata)
  }

  /// Whether an image would be delivered. Does not count as a read.
  public func contains(_ url: URL) throws(StoreError) -> Bool {
    try contains(url.absoluteString)
  }

  /// Removes an image; returns false if there is none with this URL.
  @discardableResult
  public func remove(_ url: URL) throws(StoreError) -> Bool {
    try remove(url.absoluteString)
  }

  /// Removes every image whose URL is not among these, and every expired or damaged one.
  @discardableResult
  public func sweep(keeping urls: some Sequence<URL>) throws(StoreError) -> ImageSweepReport {
    try sweep(keeping: urls.lazy.map(\.absoluteString))
  }
}
