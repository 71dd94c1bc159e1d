#if Cluster
  package import FeedStorage
  import RESPClient

  extension SharedStore {
    package func isImageStale(_ url: String) -> Bool { comparisons.isStale(url) }

    package func forgetImage(_ url: String) { comparisons.forget(url) }

    package func keepImageCopy(_ url: String) { comparisons.keep(url) }

    package func refreshImage(_ url: String, in images: ImageStore) throws(StoreError) {
      // A damaged copy is replaced.
      let near = try? images.description(of: url)
      try comparisons.compare(url, hasCopy: near != nil) { () throws(StoreError) in
        let byteCap = try images.byteCap()
        let found = try ClusterThreads.shared.run { () async throws(StoreError) in
          try await self.image(of: url, unless: near, under: byteCap)
        }
        switch found {
        case .image(let description, let bytes):
          try images.insertCopy(bytes.span.bytes, description)
        case .nothing: try images.removeCopy(of: url)
        case .same: break
        case .tooLarge(let byteCount):
          // If the new image does not fit, the copy of the old one must not stay.
          try images.removeCopy(of: url)
          try ImageStore.requireFit(byteCount, under: byteCap, path: images.directory)
        case .damaged:
          throw StoreError(
            .damaged, "the image \(url) is damaged in the shared store; put it again, or remove it")
        }
      }
    }

    package func publish(
      _ description: ImageDescription, _ bytes: RawSpan, patience: Duration?
    ) throws(StoreError) {
      let bytes = bytes.withUnsafeBytes { Array($0) }
      _ = try change(description.url, .put(description, bytes), patience)
    }

    package func renewImage(
      _ url: String, of checksum: UInt64?, _ metadata: ImageMetadata, now: Double,
      patience: Duration?
    ) throws(StoreError) -> ImageDescription? {
      let outcome = try change(url, .renew(checksum, metadata, now: now), patience)
      guard case .stored(let image) = outcome else { return nil }
      return image
    }

    package func removeImage(_ url: String, patience: Duration?) throws(StoreError) -> Bool {
      guard case .removed = try change(url, .remove, patience) else { return false }
      return true
    }

    private func change(
      _ url: String, _ kind: ClusterImageChange.Kind, _ patience: Duration?
    ) throws(StoreError) -> ClusterImageChange.Outcome {
      if patience != nil, let failure = comparisons.absence { throw failure }
      // This also runs after a failure, which may leave the change visible.
      defer { comparisons.forget(url) }
      do throws(StoreError) {
        return try ClusterThreads.shared.run { () async throws(StoreError) in
          try await self.verify()
          return try await ClusterImageChange(self, url, kind, patience).run()
        }
      } catch {
        comparisons.note(error)
        throw error
      }
    }

    private enum FoundImage: Sendable {
      /// The image does not exist, it has expired, or the nodes have evicted a part of it.
      case nothing
      /// The near store has it.
      case same
      case image(ImageDescription, [UInt8])
      case tooLarge(Int)
      case damaged
    }

    private func image(
      of url: String, unless near: ImageDescription?, under byteCap: Int
    ) async throws(StoreError) -> FoundImage {
      do throws(RESPClientError) {
        var missing: SharedImage?
        while true {
          let state = try await imageState(of: url)
          if state.isDamaged { return .damaged }
          guard let image = state.image(of: url), image != missing,
            !image.description.isExpired(at: ClusterNumbers.seconds())
          else { return .nothing }
          if image.description == near { return .same }
          let byteCount = image.description.byteCount
          guard ImageStore.fits(byteCount, under: byteCap) else { return .tooLarge(byteCount) }
          if case .inline(let bytes) = image.content { return .image(image.description, bytes) }
          if let bytes = try await chunks(of: image) { return .image(image.description, bytes) }
          // A chunk is missing if the image was replaced meanwhile. If the row is unchanged, the
          // chunk was evicted.
          missing = image
        }
      } catch {
        throw StoreError(error)
      }
    }

    /// The bytes of an image; nil if a chunk is missing.
    private func chunks(of image: SharedImage) async throws(RESPClientError) -> [UInt8]? {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(image.description.byteCount)
      let keys = keys.chunks(of: image)
      for first in stride(from: 0, to: keys.count, by: ClusterImageChange.chunksAtOnce) {
        let end = min(first + ClusterImageChange.chunksAtOnce, keys.count)
        let commands = keys[first..<end].map { key in
          var command = RESPCommand("GET", key, access: .readPrimary)
          command.expectedReplyBytes = SharedImage.chunkBytes
          return command
        }
        for result in await client.send(commands) {
          let isPresent: Void? = try result.get().withBytes { chunk in
            chunk.withUnsafeBytes { bytes.append(contentsOf: $0) }
          }
          // If the chunks are too long, they belong to another writer or are damaged.
          guard isPresent != nil, bytes.count <= image.description.byteCount else { return nil }
        }
      }
      return bytes
    }
  }
#endif
