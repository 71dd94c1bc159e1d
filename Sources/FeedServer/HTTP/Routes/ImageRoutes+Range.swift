#if Server
  import FeedStorage
  import HTTPTypes

  // Requests for a part of an image (RFC 9110, section 14).
  extension ImageRoutes {
    /// The bytes of an image, or the requested part of them.
    func body(
      _ image: ImageDescription, _ request: APIRequest, _ fields: inout HTTPFields
    ) throws -> HTTPAnswer.Body {
      var wanted = 0..<image.byteCount
      if request.method == .get, let range = range(request, image) {
        guard let bytes = range.bytes(of: image.byteCount) else {
          fields[.contentRange] = "bytes */\(image.byteCount)"
          fields[.contentType] = nil
          // Otherwise a cache could return it to other clients.
          fields[.cacheControl] = "no-store"
          context.metrics.count(refusal: .range, of: .http)
          return .bytes([])
        }
        wanted = bytes
        fields[.contentRange] =
          "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(image.byteCount)"
      }
      guard request.method == .get else { return .unsent(byteCount: wanted.count) }
      let chunks = ImageBodyChunks(context.store, image, wanted)
      if wanted.count <= ImageBodyChunks.wholeBytes {
        return .bytes(try chunks.bytes(wanted))
      }
      return .chunks(chunks, byteCount: wanted.count)
    }

    /// The requested range, unless the client has another version of the image.
    private func range(_ request: APIRequest, _ image: ImageDescription) -> ByteRange? {
      guard let field = request.fields[.range], let range = ByteRange(field) else { return nil }
      guard let condition = request.fields[.ifRange] else { return range }
      let representation = representation(image)
      if condition.hasSuffix("\"") {
        guard case .tags(let tags) = EntityTagList(condition), let tag = tags.first,
          let own = representation.entityTag(.identity), tag.isStronglyEqual(to: own)
        else { return nil }
        return range
      }
      return condition == representation.fields(.identity)[.lastModified] ? range : nil
    }
  }
#endif
