#if Server
  import FeedStorage
  import HTTPTypes

  /// The bytes of an image, or of a part of it, in chunks. It holds no snapshot between two chunks.
  struct ImagePieces: BodyPieces {
    /// The maximum length of an image, or a part of one, that is sent in one chunk.
    static let wholeBytes = 256 << 10
    /// The number of bytes of a longer one that are copied out of the map at a time.
    private static let pieceBytes = 128 << 10

    private let store: ServedStore
    private let image: ImageDescription
    private var rest: Range<Int>

    init(_ store: ServedStore, _ image: ImageDescription, _ bytes: Range<Int>) {
      self.store = store
      self.image = image
      rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func next() async throws -> [UInt8]? {
      guard !rest.isEmpty else { return nil }
      let end = min(rest.lowerBound + Self.pieceBytes, rest.upperBound)
      let bytes = try bytes(rest.lowerBound..<end)
      rest = end..<rest.upperBound
      return bytes
    }

    /// Copies some bytes of the image.
    ///
    /// - Throws: ``Problem`` if the image has been replaced or removed
    func bytes(_ wanted: Range<Int>) throws -> [UInt8] {
      let bytes = try store.images()?.withImageData(for: image.url) {
        chunks throws(StoreError) -> [UInt8]? in
        guard chunks.description.checksum == image.checksum else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(wanted.count)
        var start = 0
        while start < wanted.upperBound, let chunk = try chunks.next() {
          let part = wanted.clamped(to: start..<start + chunk.byteCount)
          if !part.isEmpty {
            chunk.extracting(part.lowerBound - start..<part.upperBound - start)
              .withUnsafeBytes { bytes.append(contentsOf: $0) }
          }
          start += chunk.byteCount
        }
        return bytes
      }
      guard let bytes, let bytes, bytes.count == wanted.count else {
        throw Problem(
          .serviceUnavailable, "the image was just replaced; ask again",
          fields: [.retryAfter: "0"])
      }
      return bytes
    }
  }
#endif
