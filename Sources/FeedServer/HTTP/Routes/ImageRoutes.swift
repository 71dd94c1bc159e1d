#if Server
  import FeedAPI
  import FeedCore
  import FeedStorage
  import HTTPTypes
  import URLEscaping

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// `GET /images?url=`: images from the store, and from their services if a feed names them.
  struct ImageRoutes: Sendable {
    let context: ServerContext

    func image(_ request: APIRequest) async throws -> HTTPAnswer {
      guard let url = request.text("url") else {
        throw Problem.parameter("url", "the URL of an image")
      }
      let image: ImageDescription
      do {
        image = try await self.image(ofText: url)
      } catch let unstored as UnstoredImage {
        return Self.answer(unstored)
      }
      var answer = try await request.answer(representation(image)) { fields in
        try body(image, request, &fields)
      }
      // An image may be SVG, which is a document that may contain scripts. The browser must not run
      // them.
      answer.fields[.contentSecurityPolicy] = Self.sandbox
      answer.fields[.acceptRanges] = "bytes"
      // An image with an expiry is not cached here: its `Cache-Control` changes with each response.
      if image.metadata.expiryReferenceSeconds == nil { answer.condition = .image(image) }
      if let range = answer.fields[.contentRange] {
        answer.status = range.hasPrefix("bytes */") ? .rangeNotSatisfiable : .partialContent
      }
      return answer
    }

    private static let sandbox = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

    /// An image that was fetched and is not stored: the disk is full, its service forbids it, or it
    /// was evicted.
    private struct UnstoredImage: Error {
      let data: Data
    }

    /// Passes an image on without storing it.
    private static func answer(_ image: UnstoredImage) -> HTTPAnswer {
      HTTPAnswer(
        fields: [
          .contentType: "application/octet-stream", .cacheControl: "no-store",
          .contentSecurityPolicy: sandbox,
        ], body: .bytes(Array(image.data)))
    }

    /// The image at a URL in the form that a record has, which may be relative to the URL of its
    /// feed.
    private func image(ofText text: String) async throws -> ImageDescription {
      let urls = try context.store.database.imageURLs(ofText: text)
      let failure = await refresh(urls)
      for url in urls {
        guard let image = try context.store.images()?.description(of: url) else { continue }
        context.metrics.countLookup(isFound: true)
        return image
      }
      context.metrics.countLookup(isFound: false)
      guard context.fetchesImages else {
        if let failure { throw failure }
        try context.store.images()?.countMiss(text)
        throw Problem.notFound("there is no image of this URL")
      }
      let foreign = Problem(.notFound, "no feed names this URL", refusal: .foreignURL)
      let answer = try await Deadline.value(within: context.configuration.serviceTimeout) {
        guard let (source, address) = try await self.source(of: urls) else {
          if let failure { throw failure }
          try context.store.images()?.countMiss(text)
          throw foreign
        }
        // Counts the miss too.
        return (address, try await source.loadImageData(from: address))
      }
      guard let (address, data) = answer else {
        let cause = TransportError(.timeout, "the service did not answer in time")
        throw RemoteError(resource: URL(escaping: text)?.host() ?? "", .transport(cause))
      }
      let url = address.absoluteString
      guard let fetched = try context.store.images()?.description(of: url) else {
        throw UnstoredImage(data: data)
      }
      return fetched
    }

    /// Looks for the image in a shared store. Returns an error instead of throwing it, since the
    /// service may have the image, too.
    private func refresh(_ urls: [String]) async -> (any Error)? {
      do {
        try await context.store.refreshImages(urls)
        return nil
      } catch {
        return error
      }
    }

    /// The first of these URLs that a feed names and that can be fetched, with the source that
    /// fetches it.
    private func source(of urls: [String]) async throws -> (ImageSource, URL)? {
      for url in urls {
        guard let address = URL(escaping: url)?.absoluteHTTP else { continue }
        let source = try await withTaskExecutorPreference(SearchThreads.shared) {
          try await context.imageSource(for: address, named: url)
        }
        if let source { return (source, address) }
      }
      return nil
    }

    func representation(_ image: ImageDescription) -> Representation {
      let checksum = String(image.checksum, radix: 36)
      return Representation(
        mediaType: Self.mediaType(image),
        tag: "\(checksum)-\(String(image.byteCount, radix: 36))",
        modified: image.metadata.fetchedReferenceSeconds,
        cacheControl: cacheControl(image))
    }

    /// The `Cache-Control` of an image. Caches may store it for a day, and serve it stale for a
    /// week while they cannot revalidate (RFC 5861), but no longer than the store itself.
    private func cacheControl(_ image: ImageDescription) -> String {
      let scope = context.configuration.credentials == nil ? "public" : "private"
      guard let expiry = image.metadata.expiryReferenceSeconds else {
        return "\(scope), max-age=86400, stale-while-revalidate=604800, stale-if-error=604800"
      }
      let rest = expiry - Date().timeIntervalSinceReferenceDate
      return "\(scope), max-age=\(Int(min(max(rest, 0), 86_400))), must-revalidate"
    }

    /// The media type from the service, unless a browser would treat it as a page.
    private static func mediaType(_ image: ImageDescription) -> String {
      guard let type = image.metadata.contentType?.lowercased(), type.hasPrefix("image/") else {
        return "application/octet-stream"
      }
      return type
    }
  }

  /// The bytes of an image, or of a part of it, in chunks. It holds no snapshot between two chunks.
  struct ImageBodyChunks: BodyChunks {
    /// The maximum length of an image, or a part of one, that is sent in one chunk.
    static let wholeBytes = 256 << 10
    /// The number of bytes of a longer one that are copied out of the map at a time.
    private static let chunkBytes = 128 << 10

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
      let end = min(rest.lowerBound + Self.chunkBytes, rest.upperBound)
      let bytes = try bytes(rest.lowerBound..<end)
      rest = end..<rest.upperBound
      return bytes
    }

    /// Copies some bytes of the image.
    ///
    /// - Throws: ``Problem`` if the image has been replaced or removed
    func bytes(_ wanted: Range<Int>) throws -> [UInt8] {
      let images = try store.images()
      do {
        return try bytes(wanted, in: images)
      } catch let error as StoreError where error.code == .damaged {
        // The next request gets a new copy, if the store has copies of a shared one.
        _ = try images?.dropDamagedCopy(of: image.url)
        throw error
      }
    }

    private func bytes(_ wanted: Range<Int>, in images: ImageStore?) throws -> [UInt8] {
      let bytes = try images?.withImageData(for: image.url) {
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
          .serviceUnavailable, "the image was replaced meanwhile; try again",
          fields: [.retryAfter: "0"])
      }
      return bytes
    }
  }
#endif
