#if Server
  import FeedStorage
  import RESPWire

  /// The feeds and images that a client watches, with their states at that time.
  struct RESPWatches {
    /// The feed or image that a key is read from. All keys of a feed change with the feed.
    enum Source: Hashable {
      case feed(FeedName)
      case image(String)
    }

    enum State: Equatable {
      /// The feed or image does not exist, or it has expired.
      case absent
      /// A number that no other state of a feed has in this worker.
      case feed(epoch: UInt64)
      case image(ImageDescription)
    }

    private(set) var states: [Source: State] = [:]
    /// The approximate memory.
    private(set) var heldBytes = 0

    /// Adds a source. A source that is already watched keeps its state.
    mutating func add(_ source: Source, _ state: State) {
      guard states[source] == nil else { return }
      states[source] = state
      heldBytes += 2 * MemoryLayout<(Source, State)>.stride
      // The URL is also a part of the description.
      if case .image(let url) = source { heldBytes += 2 * url.utf8.count }
    }
  }

  extension Keyspace {
    /// The source of a key; nil if no key of this form has a value.
    func source(of bytes: Span<UInt8>) -> RESPWatches.Source? {
      switch ServedKey(bytes) {
      case .current(let name), .meta(let name, _), .page(let name, _, _), .item(let name, _):
        guard let text = Self.text(bytes.extracting(name)), let feed = try? FeedName(text) else {
          return nil
        }
        return .feed(feed)
      case .image(let url): return Self.text(bytes.extracting(url)).map { .image($0) }
      case nil: return nil
      }
    }

    /// The current state of a source, whichever process has changed it.
    func state(of source: RESPWatches.Source) throws(StoreError) -> RESPWatches.State {
      work += 1 << 10
      switch source {
      case .feed(let name):
        guard let slot = try slot(of: name), valid(slot) != nil else { return .absent }
        return .feed(epoch: validities[slot].epoch)
      case .image(let url):
        return try store.images()?.description(of: url).map { .image($0) } ?? .absent
      }
    }

    func areUnchanged(_ watches: RESPWatches) throws(StoreError) -> Bool {
      for (source, state) in watches.states where try self.state(of: source) != state {
        return false
      }
      return true
    }
  }

  // `WATCH`: `EXEC` returns null if a feed or an image has changed since.
  extension RESPConnection {
    func answerWatch(_ request: borrowing RESPRequest) -> RESPOutcome {
      guard transaction == nil else { return fail("ERR WATCH inside MULTI is not allowed") }
      defer { noteHeld() }
      var progress = progress ?? RESPProgress()
      self.progress = nil
      while progress.index < request.count {
        if let source = worker.keyspace.source(of: request[progress.index]) {
          do throws(StoreError) {
            watches.add(source, try worker.keyspace.state(of: source))
          } catch {
            return fail(error)
          }
          let limits = worker.limits
          guard watches.states.count <= limits.watches,
            watches.heldBytes <= limits.transactionBytes,
            worker.heldBytes - heldBytes + watches.heldBytes <= limits.heldBytes
          else {
            watches = RESPWatches()
            worker.refuse(.tooLarge)
            return fail(
              "ERR too many watched keys: a client can watch \(limits.watches) feeds and images;"
                + " none is watched now")
          }
        }
        progress.index += 1
        if progress.index < request.count, worker.keyspace.work >= worker.limits.sliceBytes {
          self.progress = progress
          return .unfinished
        }
      }
      output.simple("OK")
      return .answered
    }

    func answerUnwatch() {
      watches = RESPWatches()
      noteHeld()
      output.simple("OK")
    }
  }
#endif
