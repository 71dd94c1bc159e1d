#if Cluster
  import FeedStorage
  import RESPClient

  /// A change of one image in the cluster.
  ///
  /// The chunks are stored first, with a short time to live. If the row is unchanged since it was
  /// read, a script then replaces it and gives the chunks the time to live of the row. All keys of
  /// an image have one slot. The change is complete when replicas have confirmed it. Each attempt
  /// writes chunks of its own, so a failed change never shortens the life of a visible image.
  struct ClusterImageChange: Sendable {
    enum Kind: Sendable {
      case put(ImageDescription, [UInt8])
      /// New metadata for the image whose bytes have this checksum; nil for any.
      case renew(UInt64?, ImageMetadata, now: Double)
      case remove
    }

    enum Outcome: Sendable {
      /// There is no image to renew or to remove.
      case unchanged
      case removed
      case stored(ImageDescription)
    }

    private enum Step {
      case nothing
      /// Writes the row of an image; nil for the row of a removed image.
      case write(SharedImage?)
    }

    private enum ScriptResult: Int {
      case chunkMissing = 0
      case replaced = 1
      case conflict = 3
    }

    /// How long an image without an expiry stays in the cluster.
    private static let lifetime = Duration.seconds(30 * 86_400)
    /// How long chunks exist before their row, and after it was replaced.
    private static let grace = Duration.seconds(600)
    /// How long the row of a removed image stays. Delayed commands arrive within this time.
    private static let removedLifetime = Duration.seconds(3_600)
    /// The number of chunks of one request. Together they have at most 4 MiB.
    static let chunksAtOnce = 64

    private let store: SharedStore
    private let url: String
    private let kind: Kind
    private let patience: Duration

    /// - Parameter patience: how long to try; nil for the timeout of a publish
    init(_ store: SharedStore, _ url: String, _ kind: Kind, _ patience: Duration?) {
      self.store = store
      self.url = url
      self.kind = kind
      self.patience = patience ?? store.options.publishTimeout
    }

    /// - Throws: `busy` after the deadline, with a message that states whether the change is
    ///   visible; `unreachable`; `diskFull` if the nodes have no memory for it
    func run() async throws(StoreError) -> Outcome {
      try await store.requireReplicas()
      let deadline = ContinuousClock.now + patience
      var wasTried = false
      var isVisible = false
      var last: StoreError?
      while true {
        let writes = RESPWrites()
        do throws(RESPClientError) {
          let current = try await store.imageState(of: url)
          guard case .write(let image) = step(after: current, wasTried) else { return .unchanged }
          try await sendChunks(of: image, recording: writes)
          wasTried = true
          last = nil
          let reply = try await store.client.send(
            command(image, replacing: current), recording: writes)
          switch reply.integer.flatMap(ScriptResult.init(rawValue:)) {
          case .replaced:
            isVisible = true
            if await store.isConfirmed(writes, until: deadline) {
              return image.map { .stored($0.description) } ?? .removed
            }
          case .chunkMissing:
            // The nodes have evicted a chunk of the image to renew.
            if case .renew = kind { return .unchanged }
          case .conflict: break
          case nil: throw RESPClientError(.invalidReply("the script has another result"))
          }
        } catch {
          guard error.isTransient else { throw StoreError(error) }
          last = StoreError(error)
        }
        guard ContinuousClock.now < deadline else { throw last ?? unconfirmed(isVisible) }
        try? await store.client.refresh()
        try? await Task.sleep(for: .milliseconds(50))
      }
    }

    private func step(after state: ClusterImageState, _ wasTried: Bool) -> Step {
      switch kind {
      case .put(let description, let bytes):
        let isSmall = bytes.count <= SharedImage.inlineBytes
        return .write(
          SharedImage(description, isSmall ? .inline(bytes) : .chunks(.random(in: 1 ... .max))))
      case .renew(let checksum, let metadata, let now):
        guard let old = state.image(of: url),
          checksum == nil || checksum == old.description.checksum
        else { return .nothing }
        return .write(SharedImage(old.description.renewed(metadata, now: now), old.content))
      case .remove:
        // An unconfirmed removal is repeated, although the image is already removed.
        guard state.isDamaged || state.image(of: url) != nil || wasTried else {
          return .nothing
        }
        return .write(nil)
      }
    }

    private func sendChunks(
      of image: SharedImage?, recording writes: RESPWrites
    ) async throws(RESPClientError) {
      guard case .put(_, let bytes) = kind, let image else { return }
      let all = store.keys.chunks(of: image)
      for first in stride(from: 0, to: all.count, by: Self.chunksAtOnce) {
        let commands = (first..<min(first + Self.chunksAtOnce, all.count)).map { number in
          let start = number * SharedImage.chunkBytes
          let chunk = bytes[start..<min(start + SharedImage.chunkBytes, bytes.count)]
          return RESPCommand(
            "SET", all[number], .bytes(Array(chunk)), "PX", .integer(Self.grace.milliseconds),
            isRepeatable: true)
        }
        for result in await store.client.send(commands, recording: writes) { _ = try result.get() }
      }
    }

    private func command(
      _ image: SharedImage?, replacing state: ClusterImageState
    ) -> RESPCommand {
      let new = image.map { store.keys.chunks(of: $0) } ?? []
      // Renewing keeps the chunks.
      let old = state.image.map { store.keys.chunks(of: $0) } ?? []
      let replaced = old.first == new.first ? [] : old
      let row =
        image?.encoded(inStore: store.identifier)
        ?? SharedImage.tombstone(inStore: store.identifier)
      var command = RESPCommand(
        "EVAL", argumentCount: 8 + new.count + replaced.count, byteCount: row.count,
        isRepeatable: true)
      command.append(.text(ClusterScripts.replaceImage))
      command.append(.integer(1 + new.count + replaced.count))
      command.append(store.keys.image(url))
      for key in new + replaced { command.append(key) }
      command.append(.bytes(row))
      command.append(.bytes(state.start))
      command.append(.integer(image.map(lifetime) ?? Self.removedLifetime.milliseconds))
      command.append(.integer(new.count))
      command.append(.integer(Self.grace.milliseconds))
      return command
    }

    /// How long an image stays in the cluster, in milliseconds.
    private func lifetime(of image: SharedImage) -> Int {
      let limit = Self.lifetime.milliseconds
      guard let expiry = image.description.metadata.expiryReferenceSeconds, !expiry.isNaN else {
        return limit
      }
      return Int(min(max(1_000 * (expiry - ClusterNumbers.seconds()), 1), Double(limit)))
    }

    private func unconfirmed(_ isVisible: Bool) -> StoreError {
      StoreError(
        .busy,
        isVisible
          ? "the change of the image \(url) is visible, but not yet on a second node; it is lost if its"
            + " node fails now; try again when the replicas are well"
          : "the image \(url) was not changed; try again when the cluster is well")
    }
  }

  /// The row of an image as the cluster has it.
  struct ClusterImageState: Sendable {
    /// The start of the row; empty if there is none.
    private(set) var start: [UInt8] = []
    /// Whether there is a row that cannot be read.
    private(set) var isDamaged = false
    /// The image of the row. Another URL may have the same hash.
    private(set) var image: SharedImage?

    init() {}

    /// - Parameter url: the URL of the key
    init(_ row: RawSpan, _ url: String, store: UInt64) {
      start = row.extracting(first: SharedImage.stateBytes).withUnsafeBytes { Array($0) }
      if SharedImage.isTombstone(row) { return }
      do throws(StoreError) {
        let image = try SharedImage(row, ofStore: store)
        guard ImageStore.hash(of: image.description.url) == ImageStore.hash(of: url) else {
          isDamaged = true
          return
        }
        self.image = image
      } catch {
        // A row of a store that was lost counts as absent.
        isDamaged = error.code != .incompatible
      }
    }

    func image(of url: String) -> SharedImage? { image?.description.url == url ? image : nil }
  }

  extension SharedStore {
    /// Reads the row of an image.
    func imageState(of url: String) async throws(RESPClientError) -> ClusterImageState {
      let reply = try await client.send(
        RESPCommand("GET", keys.image(url), access: .readPrimary))
      let state = reply.withBytes { row in
        ClusterImageState(row, url, store: identifier)
      }
      return state ?? ClusterImageState()
    }
  }

  extension ClusterKeys {
    /// The row of an image.
    func image(_ url: String) -> RESPKey { RESPKey("\(imageStart(url)):m") }

    /// The chunks of an image; none if its bytes follow its row.
    func chunks(of image: SharedImage) -> [RESPKey] {
      guard case .chunks(let number) = image.content else { return [] }
      let start = "\(imageStart(image.description.url)):\(Self.hex(number))"
      return (0..<image.chunkCount).map { RESPKey("\(start):\(String($0, radix: 16))") }
    }

    private func imageStart(_ url: String) -> String {
      "\(prefix)i:{\(ImageStore.hashText(of: url))}"
    }
  }
#endif
