#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// The same with the types of Foundation. A URL is found by its absolute text.
extension ImageStore {
  /// Stores an image; see ``insert(_:for:_:)-(RawSpan,_,_)``.
  public func insert(
    _ data: Data, for url: URL, _ metadata: ImageMetadata = ImageMetadata()
  ) throws(StoreError) {
    try insert(data.bytes, for: url.absoluteString, metadata)
  }

  /// Copies an image out of the store; nil where there is none of this URL, or it has expired.
  public func retrieve(dataForURL url: URL) throws(StoreError) -> Data? {
    try withImageData(for: url.absoluteString) { chunks throws(StoreError) in
      var data = Data(capacity: chunks.byteCount)
      while let piece = try chunks.next() {
        piece.withUnsafeBytes { data.append(contentsOf: $0) }
      }
      return data
    }
  }

  /// Tells anew what is known of an image; see ``renew(_:metadata:)-(String,_)``.
  @discardableResult
  public func renew(_ url: URL, metadata: ImageMetadata) throws(StoreError) -> Bool {
    try renew(url.absoluteString, metadata: metadata)
  }

  /// Whether an image would be delivered. Does not count as reading it.
  public func contains(_ url: URL) throws(StoreError) -> Bool {
    try contains(url.absoluteString)
  }

  /// Removes an image; false where there is none of this URL.
  @discardableResult
  public func remove(_ url: URL) throws(StoreError) -> Bool {
    try remove(url.absoluteString)
  }

  /// Removes every image whose URL is not among these, and every one that has expired or is
  /// damaged.
  @discardableResult
  public func sweep(keeping urls: some Sequence<URL>) throws(StoreError) -> ImageSweepReport {
    try sweep(keeping: urls.lazy.map(\.absoluteString))
  }
}
